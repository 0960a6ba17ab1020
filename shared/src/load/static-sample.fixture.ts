/**
 * Creates a configuration for benchmarks in the form that generators write: no templates, all fields of all hosts and
 * services written out. Every host from the 51st on has a parent.
 */
export function staticSample({ hosts, servicesPerHost }: { hosts: number; servicesPerHost: number }): string {
  const lines = Array.from({ length: hosts }, (_, i) => hostLines(i, servicesPerHost));
  return `package sample\n\nhosts: {\n${lines.join("\n")}\n}\n${tail}`;
}

function hostLines(index: number, services: number): string {
  const address = `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
  const tier = ["web", "db", "cache"][index % 3];
  const lines = Array.from({ length: services }, (_, k) => serviceLine(k, address));
  return `	"host-${index}": {
		address: "${address}"
		parents: [${index < 50 ? "" : `"host-${index % 50}"`}]
		labels: {tier: "${tier}", rack: "r${index % 40}", role: "server"}
		check: {type: "icmp", host: "${address}", flap: {}}
		notification: "office"
		services: {
${lines.join("\n")}
		}
	}`;
}

function serviceLine(index: number, address: string): string {
  const fields = `flap: {}, check_period: "always"}, notification: "office"`;
  const start = `			"service-${index}": {check: {`;
  const every = ["30s", "60s", "300s"][index % 3];
  switch (index % 4) {
    case 0:
      return `${start}type: "http", url: "http://${address}:8${index}/", check_interval: "${every}", ${fields}}`;
    case 1:
      return `${start}type: "tcp", address: "${address}:${2000 + index}", check_interval: "${every}", ${fields}}`;
    case 2:
      return `${start}type: "legacy", path: "/usr/lib/nagios/plugins/check_disk", args: ["-w", "10%"], ${fields}}`;
    default:
      return `${start}type: "passive", freshness_threshold: "26h", ${fields}, labels: kind: "batch"}`;
  }
}

const tail = `
contacts: ops: {type: "email", address: "ops@example.org"}
notifications: office: levels: [{contacts: ["ops"]}]
timeperiods: always: ranges: {monday: "00:00-24:00", tuesday: "00:00-24:00"}
`;
