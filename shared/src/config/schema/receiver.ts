import { keyMatching, map, variant } from "../parser/structs.ts";
import { receiverKinds } from "../receiver-kinds.ts";

const receiver = variant("receiver", receiverKinds, {
  title: "Receiver",
  intro: `Takes alerts of another system as results of the hosts and services that they are about; see
[receiving alerts of Prometheus](../how-to/receive-prometheus-alerts.md). The agent serves \`/receivers/NAME/api/v2/alerts\`,
and \`/api/v2/alerts\` where the document has one receiver only.`,
  example: `hosts: web1: {
	address: "192.0.2.10"
	check: {type: "passive", freshness_threshold: "1h", flap: {}}
	services: HighLoad: check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}
}
receivers: prom: {type: "alertmanager", host: "node", service: "alertname", severity: warning: ["warning", "info"]}`,
});

export const receiversParser = map(receiver, keyMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/));
