#!/bin/sh
# Starts nginx, on IPv6 too where the kernel has it. nginx believes X-Forwarded-Proto (http or https) only from the proxies
# of SENTINEL_TRUSTED_PROXIES.
set -eu
folder="${LISTEN_FOLDER:-/tmp}"
rm -f "$folder/listen-ipv6.conf"
if [ -e "${IPV6_ADDRESSES:-/proc/net/if_inet6}" ]; then echo 'listen [::]:8080;' > "$folder/listen-ipv6.conf"; fi
for proxy in $(echo "${SENTINEL_TRUSTED_PROXIES:-}" | tr ',' ' '); do
  # The groups that the services know by name.
  case "$proxy" in
    loopback) ranges='127.0.0.0/8 ::1/128' ;;
    linklocal) ranges='169.254.0.0/16 fe80::/10' ;;
    uniquelocal) ranges='10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7' ;;
    *) ranges="$proxy" ;;
  esac
  for range in $ranges; do echo "$range 1;"; done
done > "$folder/trusted-proxies.conf"
exec nginx -e /dev/stderr "$@" -g 'daemon off;'
