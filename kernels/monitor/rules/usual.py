"""The permanent processes of the machine: a small server with a web frontend, a database and containers.

Each entry is (pid, name, user, threads, resident MB, virtual MB, usual CPU percent, command line); entries without memory are
kernel threads.
"""

from __future__ import annotations

Usual = tuple[int, str, str, int, float, int, float, str]

_KERNEL = (
    "2 kthreadd|3 pool_workqueue_release|4 kworker/R-rcu_gp|5 kworker/R-sync_wq|6 kworker/R-slub_flushwq"
    "|7 kworker/R-netns|9 kworker/0:0H-events_highpri|12 kworker/R-mm_percpu_wq|13 rcu_tasks_kthread"
    "|14 rcu_tasks_trace_kthread|15 ksoftirqd/0|16 rcu_preempt|17 migration/0|18 idle_inject/0|20 cpuhp/0"
    "|21 cpuhp/1|23 migration/1|24 ksoftirqd/1|27 cpuhp/2|29 migration/2|30 ksoftirqd/2|33 cpuhp/3|35 migration/3"
    "|36 ksoftirqd/3|39 cpuhp/4|41 migration/4|42 ksoftirqd/4|45 kdevtmpfs|46 kauditd|47 khungtaskd|48 oom_reaper"
    "|49 kcompactd0|52 khugepaged|53 kswapd0|61 jbd2/vda1-8|62 ext4-rsv-conver"
)

_PROGRAMS: tuple[Usual, ...] = (
    (1, "systemd", "root", 1, 13.2, 168, 0.02, "/sbin/init"),
    (50, "monitor", "root", 7, 6.5, 699, 0.4, "/opt/monitor/monitor"),
    (318, "systemd-journal", "root", 1, 41.0, 122, 0.1, "/lib/systemd/systemd-journald"),
    (347, "systemd-udevd", "root", 1, 8.1, 27, 0.02, "/lib/systemd/systemd-udevd"),
    (512, "systemd-timesyn", "systemd-timesync", 2, 7.2, 91, 0.01, "/lib/systemd/systemd-timesyncd"),
    (540, "systemd-resolve", "systemd-resolve", 1, 13.0, 26, 0.03, "/lib/systemd/systemd-resolved"),
    (566, "dbus-daemon", "messagebus", 1, 5.4, 10, 0.02, "/usr/bin/dbus-daemon --system --nofork --nopidfile"),
    (571, "cron", "root", 1, 2.9, 9, 0.01, "/usr/sbin/cron -f"),
    (574, "irqbalance", "root", 2, 4.0, 84, 0.02, "/usr/sbin/irqbalance --foreground"),
    (578, "systemd-logind", "root", 1, 8.6, 49, 0.01, "/lib/systemd/systemd-logind"),
    (583, "rsyslogd", "syslog", 4, 6.4, 222, 0.05, "/usr/sbin/rsyslogd -n -iNONE"),
    (602, "NetworkManager", "root", 3, 19.8, 258, 0.03, "/usr/sbin/NetworkManager --no-daemon"),
    (641, "polkitd", "polkitd", 3, 9.7, 235, 0.01, "/usr/lib/polkit-1/polkitd --no-debug"),
    (688, "sshd", "root", 1, 8.9, 15, 0.01, "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups"),
    (702, "agetty", "root", 1, 2.1, 6, 0.0, "/sbin/agetty -o -p -- \\u --noclear tty1 linux"),
    (735, "containerd", "root", 14, 52.3, 1851, 0.3, "/usr/bin/containerd"),
    (
        768,
        "dockerd",
        "root",
        19,
        96.4,
        2240,
        0.5,
        "/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock",
    ),
    (812, "node_exporter", "prometheus", 9, 21.6, 1214, 0.2, "/usr/local/bin/node_exporter"),
    (
        901,
        "postgres",
        "postgres",
        1,
        28.7,
        217,
        0.05,
        "/usr/lib/postgresql/16/bin/postgres -D /var/lib/postgresql/16/main",
    ),
    (918, "postgres", "postgres", 1, 141.0, 219, 0.2, "postgres: 16/main: checkpointer"),
    (919, "postgres", "postgres", 1, 36.2, 218, 0.1, "postgres: 16/main: background writer"),
    (921, "postgres", "postgres", 1, 11.4, 217, 0.2, "postgres: 16/main: walwriter"),
    (922, "postgres", "postgres", 1, 9.8, 219, 0.05, "postgres: 16/main: autovacuum launcher"),
    (1033, "postgres", "postgres", 1, 88.5, 226, 1.6, "postgres: 16/main: app app [local] idle"),
    (1034, "postgres", "postgres", 1, 92.3, 226, 2.1, "postgres: 16/main: app app [local] idle"),
    (962, "redis-server", "redis", 6, 33.9, 72, 0.6, "/usr/bin/redis-server 127.0.0.1:6379"),
    (984, "nginx", "root", 1, 2.3, 55, 0.0, "nginx: master process /usr/sbin/nginx -g daemon on; master_process on;"),
    (985, "nginx", "www-data", 1, 9.1, 56, 0.8, "nginx: worker process"),
    (986, "nginx", "www-data", 1, 9.4, 56, 0.9, "nginx: worker process"),
    (1102, "gunicorn", "app", 1, 31.2, 44, 0.1, "/srv/app/.venv/bin/python /srv/app/.venv/bin/gunicorn app.wsgi"),
    (1119, "gunicorn", "app", 3, 118.6, 402, 3.4, "/srv/app/.venv/bin/python /srv/app/.venv/bin/gunicorn app.wsgi"),
    (1120, "gunicorn", "app", 3, 121.9, 405, 3.1, "/srv/app/.venv/bin/python /srv/app/.venv/bin/gunicorn app.wsgi"),
    (1121, "gunicorn", "app", 3, 117.1, 401, 2.8, "/srv/app/.venv/bin/python /srv/app/.venv/bin/gunicorn app.wsgi"),
    (1177, "celery", "app", 4, 143.8, 512, 1.9, "/srv/app/.venv/bin/python -m celery -A app worker --concurrency=2"),
    (
        1301,
        "prometheus",
        "prometheus",
        13,
        231.5,
        1620,
        1.2,
        "/usr/local/bin/prometheus --config.file=/etc/prometheus.yml",
    ),
    (1340, "grafana", "grafana", 16, 164.2, 1905, 0.7, "/usr/share/grafana/bin/grafana server"),
    (1502, "node", "agent", 11, 87.4, 1011, 1.1, "node /srv/tools/server.js --port 8080"),
    (1533, "systemd", "agent", 1, 10.4, 17, 0.01, "/lib/systemd/systemd --user"),
    (1534, "(sd-pam)", "agent", 1, 3.6, 169, 0.0, "(sd-pam)"),
    (1561, "tmux: server", "agent", 1, 4.9, 11, 0.02, "tmux new -s work"),
    (1562, "bash", "agent", 1, 5.6, 9, 0.0, "-bash"),
    (1604, "python3", "agent", 5, 64.7, 388, 0.9, "python3 -m http.server 9000 --directory /srv/out"),
    (1688, "fwupd", "root", 5, 37.0, 512, 0.02, "/usr/libexec/fwupd/fwupd"),
)

USUAL: tuple[Usual, ...] = (
    *_PROGRAMS,
    *(
        (int(pid), name, "root", 1, 0.0, 0, 0.01, "")
        for pid, _, name in (one.partition(" ") for one in _KERNEL.split("|"))
    ),
)
