"""Copies of files, as cheap as the file system makes them."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

_CANNOT = frozenset({errno.ENOSYS, errno.EXDEV, errno.EINVAL, errno.EOPNOTSUPP, errno.EPERM})
"""What Linux says where a file system, or its age, leaves copying to whoever wants it."""


def copy_file(source: Path, target: Path) -> None:
    """Copy a file's bytes to `target`, which is overwritten.

    Where the file system can share what two files have in common until one of them changes (Btrfs, XFS, NFS 4.2), Linux has it do
    so: then a copy takes as long whatever its size. Elsewhere the bytes are copied without coming to this process.

    Raises:
        OSError: on a full disk, too; the target may be there in part then.
    """
    if not hasattr(os, "copy_file_range") or not _within_kernel(source, target):
        shutil.copyfile(source, target)


def _within_kernel(source: Path, target: Path) -> bool:
    with open(source, "rb") as of, open(target, "wb") as to:
        left = os.fstat(of.fileno()).st_size
        try:
            while left and (copied := os.copy_file_range(of.fileno(), to.fileno(), left)):
                left -= copied
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
            return False
    return left == 0
