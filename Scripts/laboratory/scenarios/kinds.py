# SPDX-License-Identifier: GPL-3.0-or-later
"""Legacy and extended reports, with fragments, in both access modes: each is read, and the chains are put together."""

import steps


def scenario(lab):
    for access in ("exclusive", "shared"):
        for extended, kind in ((False, "legacy"), (True, "mixed")):
            controller = lab.controller(extended=extended)
            agent = steps.start_scanning(lab, controller, access)
            label = f"{access} {kind} "
            before = agent.metrics()
            count, read, dropped = steps.send_load(lab, controller, agent, 300, 5, kind=kind, addresses=40, label=label)
            steps.check_counts(lab, count, read, dropped)
            chains = agent.metrics()['chains_total{outcome="assembled"}'] - before['chains_total{outcome="assembled"}']
            if kind == "mixed":
                # Three of the six events for four devices form one chain.
                lab.check(abs(chains - count / 6) <= 2, f"{chains} chains in {count} events")
            steps.drop_figures(lab, label, keep="written")
            agent.end()
            controller.end()
