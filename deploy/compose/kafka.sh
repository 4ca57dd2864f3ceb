#!/bin/sh
# Starts the broker on its volume, which is formatted at the first start. The broker writes to no other part of the image.
set -eu
settings=/etc/sentinel/kafka.properties
run=/opt/kafka/bin/kafka-run-class.sh
if [ ! -f /var/lib/kafka/data/meta.properties ]; then
  "$run" kafka.tools.StorageTool format --config "$settings" --cluster-id "$("$run" kafka.tools.StorageTool random-uuid)"
fi
exec "$run" kafka.Kafka "$settings"
