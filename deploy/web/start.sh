#!/bin/sh
# Starts nginx, on IPv6 too where the kernel has it. nginx believes X-Forwarded-Proto (http or https) only from the proxies
# of SENTINEL_TRUSTED_PROXIES.
set -eu
folder="${LISTEN_FOLDER:-/tmp}"
rm -f "$folder/listen-ipv6.conf"
if [ -e "${IPV6_ADDRESSES:-/proc/net/if_inet6}" ]; then echo 'listen [::]:8080;' > "$folder/listen-ipv6.conf"; fi
for proxy in $(echo "${SENTINEL_TRUSTED_PROXIES:-}" | tr ',' ' '); do
  if [ "$proxy" = loopback ]; then printf '127.0.0.0/8 1;\n::1/128 1;\n'; else echo "$proxy 1;"; fi
done > "$folder/trusted-proxies.conf"
exec nginx -e /dev/stderr "$@" -g 'daemon off;'
