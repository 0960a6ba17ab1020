import { join } from "node:path";
import { stringify } from "yaml";
import { root } from "../architecture/sources.ts";
import { render } from "./render.ts";

const tls = { secretName: "cert", ca: { secretName: "ca" }, clientCa: true };
const secrets = { natsUrl: { name: "bus" }, sessionSecret: { name: "sessions" } };
/** Values of what is off by default, in both charts; the rules of Prometheus and the dashboard are files of the docs. */
const everything = {
  secrets,
  tls,
  metrics: { port: 9100 },
  auth: { existingSecret: "people" },
  nats: { creds: { existingSecret: "creds" } },
  commonLabels: { team: "platform" },
  podLabels: { zone: "a" },
  podAnnotations: { note: "x" },
  ingress: {
    enabled: true,
    className: "nginx",
    hosts: [{ host: "watch.example.org" }],
    tls: [{ secretName: "front" }],
  },
  httpRoute: { enabled: true, parentRefs: [{ name: "gateway", namespace: "infra" }], hostnames: ["watch.example.org"] },
  networkPolicy: { enabled: true, ingress: { from: [{ podSelector: {} }] }, egress: { enabled: true } },
  serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
  extraFlags: { "public-url": "https://watch.example.org" },
  extraEnv: [{ name: "TZ", value: "UTC" }],
  extraVolumes: [{ name: "plugins", emptyDir: {} }],
  extraVolumeMounts: [{ name: "plugins", mountPath: "/plugins" }],
  extraInitContainers: [{ name: "wait", image: "busybox" }],
  extraContainers: [{ name: "proxy", image: "nginx" }],
  nodeSelector: { disk: "ssd" },
  tolerations: [{ key: "dedicated", operator: "Exists" }],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "ScheduleAnyway" }],
  hostAliases: [{ ip: "192.0.2.1", hostnames: ["a"] }],
  dnsConfig: { nameservers: ["192.0.2.2"] },
};

type Golden = { readonly name: string; readonly chart: string; readonly values: object; readonly flags?: string[] };

const partOf = (part: string): Golden => ({
  name: part,
  chart: "realmwatch",
  values: {},
  flags: ["--values", join(root, `charts/realmwatch/values-${part}.yaml`)],
});

/** Releases whose manifests are stored in the folder `golden`. */
export const goldens: readonly Golden[] = [
  { name: "agent", chart: "realmwatch-agent", values: {} },
  { name: "agent-everything", chart: "realmwatch-agent", values: { ...everything, icmp: { enabled: true } } },
  {
    name: "agent-worker",
    chart: "realmwatch-agent",
    values: { secrets, worker: { enabled: true, zones: ["dmz"], replicas: 3 }, nats: { url: "nats://nats:4222" } },
  },
  { name: "aggregator", chart: "realmwatch-aggregator", values: {} },
  {
    name: "aggregator-everything",
    chart: "realmwatch-aggregator",
    values: { ...everything, realms: { tokensSecret: "tokens" }, redis: { url: "rediss://redis:6379" } },
  },
  partOf("centre"),
  partOf("datacenter"),
  {
    name: "agent-pair",
    chart: "realmwatch-agent",
    values: {
      replicas: 2,
      nats: { url: "nats://nats:4222" },
      tls: { secretName: "cert" },
      pair: { tlsCaKey: "ca.crt" },
      secrets: { pairSecret: { name: "pair" } },
      networkPolicy: { enabled: true, egress: { enabled: true } },
    },
  },
];

export const goldenFile = (name: string): string => join(root, "test/charts/golden", `${name}.yaml`);

/** Manifests of a release in a form that does not depend on the version of Helm. */
export const goldenText = (helm: string, { chart, values, flags }: Golden): string =>
  render(helm, chart, values, flags)
    .map((manifest) => stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false, sortMapEntries: true }))
    .join("---\n");
