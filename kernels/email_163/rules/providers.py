"""The mail providers that the server knows, and how it tells them by an address."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Server:
    """Where a provider answers."""

    host: str
    port: int
    secure: bool = True

    @property
    def shown(self) -> str:
        return f"{self.host}:{self.port} (SSL: {'true' if self.secure else 'false'})"


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider; `use_pop3` is whether mail is read over POP3 rather than IMAP."""

    name: str
    domains: tuple[str, ...]
    smtp: Server
    imap: Server
    pop3: Server
    use_pop3: bool = False

    @property
    def protocol(self) -> str:
        return "POP3" if self.use_pop3 else "IMAP"


def _provider(name: str, domains: str, smtp: Server, host: str, use_pop3: bool = False) -> Provider:
    return Provider(
        name, tuple(domains.split()), smtp, Server(f"imap.{host}", 993), Server(f"pop.{host}", 995), use_pop3
    )


_OFFICE = Server("outlook.office365.com", 993), Server("outlook.office365.com", 995)

# In the order in which JavaScript lists them: a key that is a number comes first.
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
    """The provider of an address: the named one, if it is known, else the one whose domain stands behind the first `@`."""
    if named in PROVIDERS:
        return named
    parts = address.split("@")
    domain = parts[1].lower() if len(parts) > 1 else ""
    return next((key for key, provider in PROVIDERS.items() if domain in provider.domains), None)


def hosts() -> frozenset[str]:
    """Every server there is."""
    return frozenset(s.host for p in PROVIDERS.values() for s in (p.smtp, p.imap, p.pop3))
