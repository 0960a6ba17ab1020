/**
 * Creates a configuration for benchmarks in the form that people write: templates for hosts and services, a policy, a
 * timeperiod, a tree of parents, one process and one dependency. Every host has a router as its parent.
 */
export function templateSample({ hosts, servicesPerHost }: { hosts: number; servicesPerHost: number }): string {
  const routers = Math.ceil(hosts / 50);
  const services = Array.from({ length: servicesPerHost }, (_, i) => serviceLine(i)).join("\n");
  const routerLines = Array.from(
    { length: routers },
    (_, i) => `  "router-${i}": #Router & {address: "10.255.0.${i}"}`,
  );
  const hostLines = Array.from({ length: hosts - routers }, (_, i) => {
    const address = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
    const [tier, rack] = [["web", "db", "cache"][i % 3], i % 40];
    return `  "host-${i}": #Server & {address: "${address}", parents: ["router-${i % routers}"], labels: {tier: "${tier}", rack: "r${rack}"}}`;
  });
  return `${head(services)}\nhosts: {\n${[...routerLines, ...hostLines].join("\n")}\n}\n${tail}`;
}

function serviceLine(index: number): string {
  const every = ["30s", "60s", "300s"][index % 3];
  switch (index % 4) {
    case 0:
      return `    "http-${index}": #Service & {check: {type: "http", url: "http://\\(target):8${index}/", check_interval: "${every}"}}`;
    case 1:
      return `    "port-${index}": #Service & {check: {type: "tcp", address: "\\(target):${2000 + index}", check_interval: "${every}"}}`;
    case 2:
      return `    "disk-${index}": #Service & {check: {type: "legacy", path: "/usr/lib/nagios/plugins/check_disk", args: ["-w", "10%", "-c", "5%"]}}`;
    default:
      return `    "batch-${index}": #Service & {check: {type: "passive", freshness_threshold: "26h"}, labels: kind: "batch"}`;
  }
}

const head = (services: string): string => `package sample

#Service: {
  check: {
    flap: {}
    check_period: *"always" | string
    ...
  }
  notification: *"office" | string
  labels: [string]: string
}
#Router: {
  address: string
  check: {type: "icmp", host: address, flap: {}, check_interval: "30s"}
  notification: "office"
  labels: role: "router"
}
#Server: {
  address: string
  let target = address
  parents: [...string]
  labels: {[string]: string, role: "server"}
  check: {type: "icmp", host: address, flap: {}}
  notification: "office"
  services: {
${services}
  }
}`;

const tail = `
contacts: ops: {type: "email", address: "ops@example.org"}
notifications: office: levels: [{contacts: ["ops"]}]
timeperiods: always: ranges: {monday: "00:00-24:00", tuesday: "00:00-24:00"}
processes: shop: rule: {any: [{ref: "host-0"}, {select: "tier=web,@kind=host"}]}
dependencies: routers: {dependents: [{select: "role=server,@kind=host"}], on: {ref: "router-0"}, fails_on: ["critical"]}
`;
