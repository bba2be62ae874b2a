"""The devices of Playwright 1.57.0: name, width, height, scale, and whether they are mobile and have touch.

Most devices occur twice: upright, and with the suffix ` landscape`. Playwright's list is a table of facts
(https://playwright.dev/docs/emulation#devices).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Device:
    """A device's viewport in pixels and its features."""

    width: int
    height: int
    scale: float
    mobile: bool
    touch: bool


_FIGURES = """
Blackberry PlayBook|600|1024|1|mobile|touch
Blackberry PlayBook landscape|1024|600|1|mobile|touch
BlackBerry Z30|360|640|2|mobile|touch
BlackBerry Z30 landscape|640|360|2|mobile|touch
Galaxy Note 3|360|640|3|mobile|touch
Galaxy Note 3 landscape|640|360|3|mobile|touch
Galaxy Note II|360|640|2|mobile|touch
Galaxy Note II landscape|640|360|2|mobile|touch
Galaxy S III|360|640|2|mobile|touch
Galaxy S III landscape|640|360|2|mobile|touch
Galaxy S5|360|640|3|mobile|touch
Galaxy S5 landscape|640|360|3|mobile|touch
Galaxy S8|360|740|3|mobile|touch
Galaxy S8 landscape|740|360|3|mobile|touch
Galaxy S9+|320|658|4.5|mobile|touch
Galaxy S9+ landscape|658|320|4.5|mobile|touch
Galaxy S24|360|780|3|mobile|touch
Galaxy S24 landscape|780|360|3|mobile|touch
Galaxy A55|480|1040|2.25|mobile|touch
Galaxy A55 landscape|1040|480|2.25|mobile|touch
Galaxy Tab S4|712|1138|2.25|mobile|touch
Galaxy Tab S4 landscape|1138|712|2.25|mobile|touch
Galaxy Tab S9|640|1024|2.5|mobile|touch
Galaxy Tab S9 landscape|1024|640|2.5|mobile|touch
iPad (gen 5)|768|1024|2|mobile|touch
iPad (gen 5) landscape|1024|768|2|mobile|touch
iPad (gen 6)|768|1024|2|mobile|touch
iPad (gen 6) landscape|1024|768|2|mobile|touch
iPad (gen 7)|810|1080|2|mobile|touch
iPad (gen 7) landscape|1080|810|2|mobile|touch
iPad (gen 11)|656|944|2.5|mobile|touch
iPad (gen 11) landscape|944|656|2.5|mobile|touch
iPad Mini|768|1024|2|mobile|touch
iPad Mini landscape|1024|768|2|mobile|touch
iPad Pro 11|834|1194|2|mobile|touch
iPad Pro 11 landscape|1194|834|2|mobile|touch
iPhone 6|375|667|2|mobile|touch
iPhone 6 landscape|667|375|2|mobile|touch
iPhone 6 Plus|414|736|3|mobile|touch
iPhone 6 Plus landscape|736|414|3|mobile|touch
iPhone 7|375|667|2|mobile|touch
iPhone 7 landscape|667|375|2|mobile|touch
iPhone 7 Plus|414|736|3|mobile|touch
iPhone 7 Plus landscape|736|414|3|mobile|touch
iPhone 8|375|667|2|mobile|touch
iPhone 8 landscape|667|375|2|mobile|touch
iPhone 8 Plus|414|736|3|mobile|touch
iPhone 8 Plus landscape|736|414|3|mobile|touch
iPhone SE|320|568|2|mobile|touch
iPhone SE landscape|568|320|2|mobile|touch
iPhone SE (3rd gen)|375|667|2|mobile|touch
iPhone SE (3rd gen) landscape|667|375|2|mobile|touch
iPhone X|375|812|3|mobile|touch
iPhone X landscape|812|375|3|mobile|touch
iPhone XR|414|896|3|mobile|touch
iPhone XR landscape|896|414|3|mobile|touch
iPhone 11|414|715|2|mobile|touch
iPhone 11 landscape|800|364|2|mobile|touch
iPhone 11 Pro|375|635|3|mobile|touch
iPhone 11 Pro landscape|724|325|3|mobile|touch
iPhone 11 Pro Max|414|715|3|mobile|touch
iPhone 11 Pro Max landscape|808|364|3|mobile|touch
iPhone 12|390|664|3|mobile|touch
iPhone 12 landscape|750|340|3|mobile|touch
iPhone 12 Pro|390|664|3|mobile|touch
iPhone 12 Pro landscape|750|340|3|mobile|touch
iPhone 12 Pro Max|428|746|3|mobile|touch
iPhone 12 Pro Max landscape|832|378|3|mobile|touch
iPhone 12 Mini|375|629|3|mobile|touch
iPhone 12 Mini landscape|712|325|3|mobile|touch
iPhone 13|390|664|3|mobile|touch
iPhone 13 landscape|750|342|3|mobile|touch
iPhone 13 Pro|390|664|3|mobile|touch
iPhone 13 Pro landscape|750|342|3|mobile|touch
iPhone 13 Pro Max|428|746|3|mobile|touch
iPhone 13 Pro Max landscape|832|380|3|mobile|touch
iPhone 13 Mini|375|629|3|mobile|touch
iPhone 13 Mini landscape|712|327|3|mobile|touch
iPhone 14|390|664|3|mobile|touch
iPhone 14 landscape|750|340|3|mobile|touch
iPhone 14 Plus|428|746|3|mobile|touch
iPhone 14 Plus landscape|832|378|3|mobile|touch
iPhone 14 Pro|393|660|3|mobile|touch
iPhone 14 Pro landscape|734|343|3|mobile|touch
iPhone 14 Pro Max|430|740|3|mobile|touch
iPhone 14 Pro Max landscape|814|380|3|mobile|touch
iPhone 15|393|659|3|mobile|touch
iPhone 15 landscape|734|343|3|mobile|touch
iPhone 15 Plus|430|739|3|mobile|touch
iPhone 15 Plus landscape|814|380|3|mobile|touch
iPhone 15 Pro|393|659|3|mobile|touch
iPhone 15 Pro landscape|734|343|3|mobile|touch
iPhone 15 Pro Max|430|739|3|mobile|touch
iPhone 15 Pro Max landscape|814|380|3|mobile|touch
Kindle Fire HDX|800|1280|2|mobile|touch
Kindle Fire HDX landscape|1280|800|2|mobile|touch
LG Optimus L70|384|640|1.25|mobile|touch
LG Optimus L70 landscape|640|384|1.25|mobile|touch
Microsoft Lumia 550|360|640|2|mobile|touch
Microsoft Lumia 550 landscape|640|360|2|mobile|touch
Microsoft Lumia 950|360|640|4|mobile|touch
Microsoft Lumia 950 landscape|640|360|4|mobile|touch
Nexus 10|800|1280|2|mobile|touch
Nexus 10 landscape|1280|800|2|mobile|touch
Nexus 4|384|640|2|mobile|touch
Nexus 4 landscape|640|384|2|mobile|touch
Nexus 5|360|640|3|mobile|touch
Nexus 5 landscape|640|360|3|mobile|touch
Nexus 5X|412|732|2.625|mobile|touch
Nexus 5X landscape|732|412|2.625|mobile|touch
Nexus 6|412|732|3.5|mobile|touch
Nexus 6 landscape|732|412|3.5|mobile|touch
Nexus 6P|412|732|3.5|mobile|touch
Nexus 6P landscape|732|412|3.5|mobile|touch
Nexus 7|600|960|2|mobile|touch
Nexus 7 landscape|960|600|2|mobile|touch
Nokia Lumia 520|320|533|1.5|mobile|touch
Nokia Lumia 520 landscape|533|320|1.5|mobile|touch
Nokia N9|480|854|1|mobile|touch
Nokia N9 landscape|854|480|1|mobile|touch
Pixel 2|411|731|2.625|mobile|touch
Pixel 2 landscape|731|411|2.625|mobile|touch
Pixel 2 XL|411|823|3.5|mobile|touch
Pixel 2 XL landscape|823|411|3.5|mobile|touch
Pixel 3|393|786|2.75|mobile|touch
Pixel 3 landscape|786|393|2.75|mobile|touch
Pixel 4|353|745|3|mobile|touch
Pixel 4 landscape|745|353|3|mobile|touch
Pixel 4a (5G)|412|765|2.63|mobile|touch
Pixel 4a (5G) landscape|840|312|2.63|mobile|touch
Pixel 5|393|727|2.75|mobile|touch
Pixel 5 landscape|802|293|2.75|mobile|touch
Pixel 7|412|839|2.625|mobile|touch
Pixel 7 landscape|863|360|2.625|mobile|touch
Moto G4|360|640|3|mobile|touch
Moto G4 landscape|640|360|3|mobile|touch
Desktop Chrome HiDPI|1280|720|2||
Desktop Edge HiDPI|1280|720|2||
Desktop Firefox HiDPI|1280|720|2||
Desktop Safari|1280|720|2||
Desktop Chrome|1280|720|1||
Desktop Edge|1280|720|1||
Desktop Firefox|1280|720|1||
"""


def _device(row: str) -> tuple[str, Device]:
    name, width, height, scale, mobile, touch = row.split("|")
    return name, Device(int(width), int(height), float(scale), bool(mobile), bool(touch))


DEVICES: dict[str, Device] = dict(_device(row) for row in _FIGURES.strip().split("\n"))
