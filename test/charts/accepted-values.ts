import { isDeepStrictEqual } from "node:util";
import { pairValues, workerValues } from "./refused-values.ts";
import { argsOf, at, chartNames, type Manifest, pick, podOf } from "./render.ts";

const { agent, aggregator, both } = chartNames;

/** Values that a chart renders, with what its manifests have. */
type Accepted = readonly [
  what: string,
  charts: readonly string[],
  values: object,
  check: (manifests: readonly Manifest[]) => unknown,
  expected: unknown,
];

export const acceptedValues: readonly Accepted[] = [
  [
    "an ingress for all paths of a host",
    both,
    { ingress: { enabled: true, className: "nginx", hosts: [{ host: "a.example.org" }], tls: [{ secretName: "t" }] } },
    (all) => [
      at(pick(all, "Ingress"), "spec", "ingressClassName"),
      at(pick(all, "Ingress"), "spec", "rules", 0, "http", "paths", 0, "path"),
      at(pick(all, "Ingress"), "spec", "tls", 0, "secretName"),
    ],
    ["nginx", "/", "t"],
  ],
  [
    "a route of a gateway",
    both,
    { httpRoute: { enabled: true, parentRefs: [{ name: "gw", namespace: "infra" }], hostnames: ["a.example.org"] } },
    (all) => at(pick(all, "HTTPRoute"), "spec", "rules", 0, "backendRefs", 0, "port"),
    8080,
  ],
  [
    "a network policy without egress",
    both,
    { networkPolicy: { enabled: true, ingress: { from: [{ podSelector: {} }] } } },
    (all) => [
      at(pick(all, "NetworkPolicy"), "spec", "policyTypes"),
      at(pick(all, "NetworkPolicy"), "spec", "ingress", 0, "from"),
    ],
    [["Ingress"], [{ podSelector: {} }]],
  ],
  [
    "a network policy with egress",
    [aggregator],
    { networkPolicy: { enabled: true, egress: { enabled: true } } },
    (all) => at(pick(all, "NetworkPolicy"), "spec", "egress", 1, "ports"),
    [
      { port: 4222, protocol: "TCP" },
      { port: 6379, protocol: "TCP" },
    ],
  ],
  [
    "a monitor of the Prometheus operator",
    both,
    { serviceMonitor: { enabled: true, labels: { release: "prom" }, interval: "15s" }, metrics: { port: 9100 } },
    (all) => [
      at(pick(all, "ServiceMonitor"), "spec", "endpoints", 0, "port"),
      at(pick(all, "ServiceMonitor"), "spec", "endpoints", 0, "relabelings", 0),
    ],
    ["metrics", { targetLabel: "job", replacement: "realmwatch" }],
  ],
  [
    "a monitor of pods behind TLS",
    both,
    { podMonitor: { enabled: true }, tls: { secretName: "cert" } },
    (all) => at(pick(all, "PodMonitor"), "spec", "podMetricsEndpoints", 0, "scheme"),
    "https",
  ],
  [
    "alert rules with the address of their pages",
    both,
    { prometheusRule: { enabled: true, runbooks: "https://docs.example.org/runbooks/" } },
    (all) => at(pick(all, "PrometheusRule"), "spec", "groups", 0, "rules", 0, "annotations", "runbook_url"),
    "https://docs.example.org/runbooks/Watchdog.html",
  ],
  [
    "alert rules with the pages of the public address",
    both,
    { prometheusRule: { enabled: true }, extraFlags: { "public-url": "https://fra.example.org/" } },
    (all) => at(pick(all, "PrometheusRule"), "spec", "groups", 0, "rules", 0, "annotations", "runbook_url"),
    "https://fra.example.org/docs/runbooks/Watchdog.html",
  ],
  [
    "alert rules with the pages of the Service",
    both,
    { prometheusRule: { enabled: true }, fullnameOverride: "watch", service: { port: 80 } },
    (all) => at(pick(all, "PrometheusRule"), "spec", "groups", 0, "rules", 0, "annotations", "runbook_url"),
    "http://watch.watch:80/docs/runbooks/Watchdog.html",
  ],
  [
    "a dashboard of Grafana",
    both,
    { grafanaDashboard: { enabled: true, namespace: "grafana" } },
    (all) => {
      const map = all.find(({ kind, metadata }) => kind === "ConfigMap" && at(metadata, "namespace") === "grafana");
      return [
        at(map, "metadata", "labels", "grafana_dashboard"),
        typeof JSON.parse(String(at(map, "data", "realmwatch.json"))),
      ];
    },
    ["1", "object"],
  ],
  [
    "users of OpenShift",
    both,
    { podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null, fsGroupChangePolicy: null } },
    (all) => at(podOf(all), "securityContext"),
    { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  ],
  [
    "an existing account",
    both,
    { serviceAccount: { create: false, name: "mine" } },
    (all) => [at(podOf(all), "serviceAccountName"), all.some(({ kind }) => kind === "ServiceAccount")],
    ["mine", false],
  ],
  [
    "a registry",
    both,
    { image: { registry: "registry.example.org/" } },
    (all) =>
      String(at(podOf(all), "containers", 0, "image"))
        .split("/")
        .slice(0, 2),
    ["registry.example.org", "realmwatch"],
  ],
  [
    "certificates of an own authority",
    [agent],
    { tls: { ca: { secretName: "ca" } } },
    (all) => argsOf(all).filter((arg) => /-ca=/.test(arg)),
    ["-nats-ca=/etc/realmwatch/ca/ca.crt"],
  ],
  [
    "certificates of an own authority",
    [aggregator],
    { tls: { ca: { secretName: "ca" } } },
    (all) => argsOf(all).filter((arg) => /-ca=/.test(arg)),
    ["-nats-ca=/etc/realmwatch/ca/ca.crt", "-redis-ca=/etc/realmwatch/ca/ca.crt"],
  ],
  [
    "a large number of a flag as it is written",
    [agent],
    { extraFlags: { "max-concurrent-checks": 1_000_000 } },
    (all) => argsOf(all).at(-1),
    "-max-concurrent-checks=1000000",
  ],
  [
    "containers, hosts and servers of names beside it",
    both,
    {
      extraContainers: [{ name: "x", image: "y" }],
      extraInitContainers: [{ name: "i", image: "y" }],
      hostAliases: [{ ip: "192.0.2.1", hostnames: ["a"] }],
      dnsConfig: { nameservers: ["192.0.2.2"] },
      extraVolumes: [{ name: "plugins", emptyDir: {} }],
      extraVolumeMounts: [{ name: "plugins", mountPath: "/plugins" }],
    },
    (all) => [
      at(podOf(all), "containers", 1, "name"),
      at(podOf(all), "initContainers", 0, "name"),
      at(podOf(all), "dnsConfig", "nameservers", 0),
    ],
    ["x", "i", "192.0.2.2"],
  ],
  [
    "a claim that exists",
    [agent],
    { persistence: { existingClaim: "old" } },
    (all) => [
      at(pick(all, "StatefulSet"), "spec", "volumeClaimTemplates"),
      (at(podOf(all), "volumes") as { name: string }[]).find(({ name }) => name === "data"),
    ],
    [undefined, { name: "data", persistentVolumeClaim: { claimName: "old" } }],
  ],
  [
    "what becomes of the volume, and how it is updated",
    [agent],
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" }, updateStrategy: { type: "OnDelete" } },
    (all) => [
      at(pick(all, "StatefulSet"), "spec", "persistentVolumeClaimRetentionPolicy", "whenDeleted"),
      at(pick(all, "StatefulSet"), "spec", "updateStrategy", "type"),
    ],
    ["Delete", "OnDelete"],
  ],
  [
    "workers of zones without state",
    [agent],
    workerValues,
    (all) => [
      at(pick(all, "Deployment"), "spec", "replicas"),
      argsOf(all).filter((arg) => /worker|zones|config|data-dir/.test(arg)),
      (at(podOf(all), "volumes") as { name: string }[]).map(({ name }) => name),
      all.some(({ kind }) => kind === "ConfigMap"),
    ],
    [3, ["-worker", "-zones=dmz,lab"], ["tmp"], false],
  ],
  [
    "a pair of agents, each with a claim, on different nodes",
    [agent],
    pairValues,
    (all) => [
      at(pick(all, "StatefulSet"), "spec", "replicas"),
      at(pick(all, "StatefulSet"), "spec", "podManagementPolicy"),
      at(pick(all, "StatefulSet"), "spec", "serviceName"),
      at(pick(all, "StatefulSet"), "spec", "volumeClaimTemplates", 0, "metadata", "name"),
      at(pick(all, "PodDisruptionBudget"), "spec", "minAvailable"),
      at(podOf(all), "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", 0, "topologyKey"),
      argsOf(all).filter((arg) => /pair/.test(arg)),
      at(podOf(all), "containers", 0, "readinessProbe", "httpGet", "path"),
    ],
    [
      ...[2, "Parallel", "rel-realmwatch-agent-members", "data", 1, "kubernetes.io/hostname"],
      ["-pair=$(POD_NAME)", "-insecure-pair", "-pair-secret-file=/etc/realmwatch/secrets/pair-secret/value"],
      "/readyz",
    ],
  ],
  [
    "names of the members of a pair, also before they are ready, and a secret that an uninstallation keeps",
    [agent],
    pairValues,
    (all) => {
      const members = all.find(({ kind, spec }) => kind === "Service" && at(spec, "clusterIP") === "None");
      const secret = pick(all, "Secret");
      return [
        at(members, "metadata", "name"),
        at(members, "spec", "publishNotReadyAddresses"),
        at(secret, "metadata", "annotations", "helm.sh/resource-policy"),
        Buffer.from(String(at(secret, "data", "pair-secret")), "base64").length >= 32,
      ];
    },
    ["rel-realmwatch-agent-members", true, "keep", true],
  ],
  [
    "a pair with TLS and an existing secret, whose Service leads to the active member",
    [agent],
    {
      ...pairValues,
      tls: { secretName: "cert" },
      pair: { tlsCaKey: "ca.crt", service: "active" },
      secrets: { pairSecret: { name: "ours", key: "k" } },
    },
    (all) => [
      argsOf(all).filter((arg) => /pair/.test(arg)),
      at(podOf(all), "containers", 0, "readinessProbe", "httpGet", "path"),
      (at(podOf(all), "volumes") as { name: string; secret?: object }[]).find(
        ({ name }) => name === "secret-pair-secret",
      )?.secret,
      all.some(({ kind }) => kind === "Secret"),
    ],
    [
      [
        "-pair=$(POD_NAME)",
        "-pair-tls-ca=/etc/realmwatch/tls/ca.crt",
        "-pair-secret-file=/etc/realmwatch/secrets/pair-secret/value",
      ],
      "/activez",
      { secretName: "ours", defaultMode: 0o440, items: [{ key: "k", path: "value" }] },
      false,
    ],
  ],
  [
    "a network policy that lets the members of a pair talk",
    [agent],
    {
      ...pairValues,
      networkPolicy: { enabled: true, egress: { enabled: true }, ingress: { from: [{ podSelector: {} }] } },
    },
    (all) => {
      const { ingress, egress } = at(pick(all, "NetworkPolicy"), "spec") as { ingress: object[]; egress: object[] };
      return isDeepStrictEqual(at(ingress.at(-1), "from"), at(egress.at(-1), "to"));
    },
    true,
  ],
  [
    "a budget in percent",
    [aggregator],
    { podDisruptionBudget: { minAvailable: "50%" } },
    (all) => at(pick(all, "PodDisruptionBudget"), "spec", "minAvailable"),
    "50%",
  ],
  [
    "a document with leading blanks and more than one line",
    [agent],
    { config: { document: "  hosts: {}\n// --- \n" }, configCheck: { enabled: false } },
    (all) => at(pick(all, "ConfigMap"), "data", "config.cue"),
    "  hosts: {}\n// --- \n",
  ],
  [
    "a name that is too long, cut as Helm does",
    both,
    { nameOverride: `a${"b".repeat(51)}` },
    (all) => String(at(pick(all, "Service"), "metadata", "name")).length,
    52,
  ],
];
