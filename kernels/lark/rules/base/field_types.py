"""Field types of a base by number (`type`) and by display name (`ui_type`).

Source: https://open.feishu.cn/document/server-docs/docs/bitable-v1/app-table-field/guide
"""

from __future__ import annotations

TEXT, NUMBER, SINGLE_SELECT, MULTI_SELECT, DATE, CHECKBOX, PERSON, PHONE, URL = 1, 2, 3, 4, 5, 7, 11, 13, 15
ATTACHMENT, LINK, LOOKUP, FORMULA, DUPLEX_LINK, LOCATION, GROUP = 17, 18, 19, 20, 21, 22, 23
CREATED_TIME, MODIFIED_TIME, CREATED_USER, MODIFIED_USER, AUTO_NUMBER = 1001, 1002, 1003, 1004, 1005
UNKNOWN = 0

# The first is the default. A lookup (19) can be read but not created.
UI_TYPES: dict[int, tuple[str, ...]] = {
    TEXT: ("Text", "Barcode"),
    NUMBER: ("Number", "Progress", "Currency", "Rating"),
    SINGLE_SELECT: ("SingleSelect",),
    MULTI_SELECT: ("MultiSelect",),
    DATE: ("DateTime",),
    CHECKBOX: ("Checkbox",),
    PERSON: ("User",),
    PHONE: ("Phone",),
    URL: ("Url",),
    ATTACHMENT: ("Attachment",),
    LINK: ("SingleLink",),
    FORMULA: ("Formula",),
    DUPLEX_LINK: ("DuplexLink",),
    LOCATION: ("Location",),
    GROUP: ("GroupChat",),
    CREATED_TIME: ("CreatedTime",),
    MODIFIED_TIME: ("ModifiedTime",),
    CREATED_USER: ("CreatedUser",),
    MODIFIED_USER: ("ModifiedUser",),
    AUTO_NUMBER: ("AutoNumber",),
}
INDEX_TYPES = (TEXT, NUMBER, DATE, PHONE, URL, FORMULA, LOCATION)
"""Valid types of a table's first field, its index."""
