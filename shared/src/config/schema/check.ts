import { checkKinds } from "../check-kinds/check-kinds.ts";
import { variant } from "../parser/structs.ts";

export const checkParser = variant("check", checkKinds, {
  title: "Check",
  intro: `Type and schedule of an object's check. Each \`type\` has fields of its own in addition to the schedule fields. A check
that times out is critical, except for \`snmp\` and programs, where it is unknown.`,
  example: `hosts: web1: {
	address: "192.0.2.10"
	check: {type: "icmp", host: "192.0.2.10", flap: {}}
	services: {
		http: check: {type: "http", url: "https://192.0.2.10/health", check_interval: "30s", flap: {}}
		cert: check: {type: "tls", address: "www.example.org", warn_within: "720h", check_interval: "1h", flap: {}}
		disk: check: {type: "legacy", path: "/usr/lib/nagios/plugins/check_disk", args: ["-w", "10%", "-c", "5%"], flap: {}}
		load: check: {type: "snmp", address: "192.0.2.10", oid: ".1.3.6.1.4.1.2021.10.1.3.1", community: "public", warn: "5", crit: "10", flap: {}}
		backup: check: {type: "passive", freshness_threshold: "26h", stale_status: "CRITICAL", flap: {}}
	}
}`,
});
