"""The supported mail providers, and their detection by address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Server:
    """The address of a provider's server."""

    host: str
    port: int
    secure: bool = True

    @property
    def shown(self) -> str:
        """Format the address."""
        return f"{self.host}:{self.port} (SSL: {'true' if self.secure else 'false'})"


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider; `use_pop3` is true if it prefers POP3 to IMAP."""

    name: str
    domains: tuple[str, ...]
    smtp: Server
    imap: Server
    pop3: Server
    use_pop3: bool = False

    @property
    def protocol(self) -> str:
        """Return the name of the preferred protocol."""
        return "POP3" if self.use_pop3 else "IMAP"


def _provider(name: str, domains: str, smtp: Server, host: str, use_pop3: bool = False) -> Provider:
    return Provider(
        name, tuple(domains.split()), smtp, Server(f"imap.{host}", 993), Server(f"pop.{host}", 995), use_pop3
    )


_OFFICE = Server("outlook.office365.com", 993), Server("outlook.office365.com", 995)

# In JavaScript's order, in which numeric keys come first.
PROVIDERS = {
    "163": _provider("网易邮箱", "163.com 126.com yeah.net", Server("smtp.163.com", 465), "163.com", use_pop3=True),
    "qq": _provider("QQ邮箱", "qq.com", Server("smtp.qq.com", 587, secure=False), "qq.com"),
    "gmail": _provider("Gmail", "gmail.com googlemail.com", Server("smtp.gmail.com", 587), "gmail.com"),
    "outlook": Provider(
        "Outlook/Hotmail",
        ("outlook.com", "hotmail.com", "live.com", "msn.com"),
        Server("smtp-mail.outlook.com", 587, secure=False),
        *_OFFICE,
    ),
    "exmail": _provider("腾讯企业邮箱", "exmail.qq.com", Server("smtp.exmail.qq.com", 465), "exmail.qq.com"),
    "aliyun": _provider("阿里云邮箱", "aliyun.com alibaba-inc.com", Server("smtp.mxhichina.com", 465), "mxhichina.com"),
    "sina": _provider("新浪邮箱", "sina.com sina.cn", Server("smtp.sina.com", 587, secure=False), "sina.com"),
    "sohu": _provider("搜狐邮箱", "sohu.com", Server("smtp.sohu.com", 25, secure=False), "sohu.com"),
}


def detected(address: str, named: str | None = None) -> str | None:
    """Return the named provider if it exists, or the one whose domain follows the first `@`."""
    if named in PROVIDERS:
        return named
    parts = address.split("@")
    domain = parts[1].lower() if len(parts) > 1 else ""
    return next((key for key, provider in PROVIDERS.items() if domain in provider.domains), None)


def hosts() -> frozenset[str]:
    """Return the names of all servers."""
    return frozenset(s.host for p in PROVIDERS.values() for s in (p.smtp, p.imap, p.pop3))
