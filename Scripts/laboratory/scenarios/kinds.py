# SPDX-License-Identifier: GPL-3.0-or-later
"""Legacy and extended reports, with fragments, in both manners: each is read, and the chains are put together."""

import feats


def scenario(lab):
    for access in ("exclusive", "shared"):
        for extended, kind in ((False, "legacy"), (True, "mixed")):
            controller = lab.controller(extended=extended)
            agent = feats.scanning(lab, controller, access)
            label = f"{access} {kind} "
            before = agent.metrics()
            count, read, dropped = feats.carry_load(lab, controller, agent, 300, 5, kind=kind, addresses=40, label=label)
            feats.hold_exact(lab, count, read, dropped)
            chains = agent.metrics()['chains_total{outcome="assembled"}'] - before['chains_total{outcome="assembled"}']
            if kind == "mixed":
                # Three of the six events for four devices are of one chain.
                lab.check(abs(chains - count / 6) <= 2, f"{chains} chains in {count} events")
            feats.forget(lab, label, keep="written")
            agent.end()
            controller.end()
