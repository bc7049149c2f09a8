# SPDX-License-Identifier: GPL-3.0-or-later
"""The plot of Scripts/fleet: messages a second, how late they are, and what was killed when."""
import math
import statistics

WIDTH, LEFT, RIGHT = 900, 70, 20
COLORS = {"bridge": "#1f77b4", "gateway": "#2ca02c", "server": "#d62728", "broker": "#9467bd"}


def label(x, y, text, anchor="start", color="#333"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{color}">{text}</text>'


def line(points, color):
    return f'<polyline fill="none" stroke="{color}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def plot(seconds, kills):
    """`seconds` has counts and delays by the second, `kills` have their time and kind."""
    start, end = min(seconds), max(seconds)

    def across(second):
        return LEFT + (second - start) / max(end - start, 1) * (WIDTH - LEFT - RIGHT)

    def frame(top, height, title, marks):
        parts = [f'<rect x="{LEFT}" y="{top}" width="{WIDTH - LEFT - RIGHT}" height="{height}" fill="none" stroke="#bbb"/>',
                 label(LEFT, top - 8, title)]
        for y, text in marks:
            parts += [label(LEFT - 6, y + 4, text, "end"), f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#eee"/>']
        return parts

    most = max(count for count, _ in seconds.values())
    step = 10 ** int(math.log10(most)) if most >= 1 else 1
    parts = frame(40, 160, "messages stored a second", [(200 - value / most * 160, str(value)) for value in range(0, most + 1, step)])
    parts.append(line([(across(second), 200 - count / most * 160) for second, (count, _) in sorted(seconds.items())], "#1f77b4"))

    def late(value):
        # From a millisecond to a hundred seconds.
        return 420 - (math.log10(min(max(value, 0.001), 100)) + 3) / 5 * 160

    parts += frame(260, 160, "from event to stream, in seconds: median, and the latest of each second",
                   [(late(10.0 ** power), f"{10.0 ** power:g}") for power in range(-3, 3)])
    delays = [(second, values) for second, (_, values) in sorted(seconds.items()) if values]
    parts.append(line([(across(second), late(max(values))) for second, values in delays], "#d9a0a0"))
    parts.append(line([(across(second), late(statistics.median(values))) for second, values in delays], "#d62728"))
    parts += frame(480, 80, "kills", [])
    for row, (kind, color) in enumerate(COLORS.items()):
        y = 490 + row * 18
        parts.append(label(LEFT - 6, y + 8, kind, "end", color))
        parts += [f'<path d="M{across(when):.1f} {y}v12" stroke="{color}"/>' for when, which in kills if which == kind]
    for minute in range(0, (end - start) // 60 + 1):
        parts.append(label(across(start + minute * 60), 580, f"{minute} min", "middle"))
    body = "\n".join(parts)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="600" viewBox="0 0 {WIDTH} 600" '
            f'font-family="sans-serif" font-size="12">\n<!-- SPDX-License-Identifier: GPL-3.0-or-later -->\n'
            f'<rect width="{WIDTH}" height="600" fill="#fff"/>\n{body}\n</svg>\n')
