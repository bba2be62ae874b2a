"""File types by extension, and the extensions of downloaded files.

Source: Python's mimetypes without the machine's own files, and the types that Telethon adds to it (utils.py)
"""

from __future__ import annotations

from posixpath import splitext

UNKNOWN = "application/octet-stream"
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OF_EXTENSION = {
    ".7z": "application/x-7z-compressed",
    ".aac": "audio/aac",
    ".apk": "application/vnd.android.package-archive",
    ".avi": "video/avi",
    ".bin": UNKNOWN,
    ".bmp": "image/bmp",
    ".css": "text/css",
    ".csv": "text/csv",
    ".doc": "application/msword",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".epub": "application/epub+zip",
    ".flac": "audio/flac",
    ".gif": "image/gif",
    ".heic": "image/heic",
    ".htm": "text/html",
    ".html": "text/html",
    ".ics": "text/calendar",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".js": "text/javascript",
    ".json": "application/json",
    ".m4a": "audio/m4a",
    ".m4v": "video/mp4",
    ".md": "text/markdown",
    ".mkv": "video/x-matroska",
    ".mov": "video/quicktime",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".ppt": "application/vnd.ms-powerpoint",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".psd": "image/vnd.adobe.photoshop",
    ".py": "text/x-python",
    ".rtf": "application/rtf",
    ".svg": "image/svg+xml",
    ".tar": "application/x-tar",
    ".tgs": "application/x-tgsticker",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
    ".txt": "text/plain",
    ".vcf": "text/vcard",
    ".wav": "audio/x-wav",
    ".webm": "video/webm",
    ".webp": "image/webp",
    ".xls": "application/vnd.ms-excel",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".xml": "application/xml",
    ".zip": "application/zip",
}
_PREFERRED = {
    "application/gzip": ".gz",
    "audio/mp4": ".m4a",
    "audio/ogg": ".ogg",
    "audio/opus": ".opus",
    "image/jpeg": ".jpg",
    "image/tiff": ".tiff",
    "text/html": ".html",
    "text/xml": ".xml",
    "video/mp4": ".mp4",
    "video/x-msvideo": ".avi",
}


def type_of(path: str) -> str:
    """Return the MIME type of a file by its name, or application/octet-stream."""
    return _OF_EXTENSION.get(splitext(path)[1].lower(), UNKNOWN)


def extension_of(mime_type: str | None) -> str:
    """Return the extension of a download with its dot, empty for octet streams and unknown types."""
    if not mime_type or mime_type == UNKNOWN:
        return ""
    known = (extension for extension, of in _OF_EXTENSION.items() if of == mime_type)
    return _PREFERRED.get(mime_type) or next(known, "")
