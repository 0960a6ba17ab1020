import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { read, root } from "../architecture/sources.ts";
import { chartReadme } from "./chart-readme.ts";
import { at, findHelm, type Manifest, pick, render } from "./render.ts";
import { valuesSchema } from "./values-schema.ts";

const helm = findHelm() ?? "";
const skip = helm === "" && "helm is not installed: go install helm.sh/helm/v3/cmd/helm@latest";
const [agent, aggregator] = ["realmwatch-agent", "realmwatch-aggregator"] as const;
const both = [agent, aggregator] as const;
const podOf = (manifests: readonly Manifest[]): unknown => {
  const workload = manifests.find(({ kind }) => kind === "StatefulSet" || kind === "Deployment");
  return at(workload, "spec", "template", "spec");
};
const argsOf = (manifests: readonly Manifest[]): readonly string[] =>
  at(podOf(manifests), "containers", 0, "args") as string[];

for (const program of ["agent", "aggregator"] as const)
  test(`schema and README of realmwatch-${program} are made from its values: node test/charts/write.ts`, () => {
    const folder = join(root, "charts", `realmwatch-${program}`);
    assert.equal(readFileSync(join(folder, "values.schema.json"), "utf8"), valuesSchema(program));
    assert.equal(readFileSync(join(folder, "README.md"), "utf8"), chartReadme(`realmwatch-${program}`));
  });

type Accepted = readonly [
  what: string,
  charts: readonly string[],
  values: object,
  check: (manifests: readonly Manifest[]) => unknown,
  expected: unknown,
];

const pair = { replicas: 2, nats: { url: "nats://n:4222" }, pair: { insecure: true } };
const worker = { worker: { enabled: true, zones: ["dmz", "lab"], replicas: 3 }, nats: { url: "nats://n:4222" } };
const accepted: readonly Accepted[] = [
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
    worker,
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
    pair,
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
    pair,
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
      ...pair,
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
    { ...pair, networkPolicy: { enabled: true, egress: { enabled: true }, ingress: { from: [{ podSelector: {} }] } } },
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

describe("values that are rendered", { skip }, () => {
  for (const [what, charts, values, check, expected] of accepted)
    for (const chart of charts)
      test(`${chart}: ${what}`, () => assert.deepEqual(check(render(helm, chart, values)), expected));
});

test("each pod of a pair starts the image's program with the address of the other one", { skip }, () => {
  const container = at(podOf(render(helm, agent, pair)), "containers", 0);
  const [shell = "", option = "", script = "", name = ""] = at(container, "command") as string[];
  const entry = JSON.parse(
    /^ENTRYPOINT (\[.*agent.*\])$/m.exec(read("compose/Dockerfile").text)?.[1] ?? "[]",
  ) as string[];
  assert.match(script, new RegExp(`exec ${RegExp.escape(entry.join(" "))} `));
  const startedBy = (pod: string): string =>
    execFileSync(shell, [option, script.replace(entry[0] as string, "echo"), name, "-realm=fra"], {
      env: { ...process.env, POD_NAME: pod },
      encoding: "utf8",
    });
  for (const [pod, other] of [
    ["rel-realmwatch-agent-0", "rel-realmwatch-agent-1"],
    ["rel-realmwatch-agent-1", "rel-realmwatch-agent-0"],
  ] as const)
    assert.match(
      startedBy(pod),
      new RegExp(`-realm=fra -pair-peer=http://${other}\\.rel-realmwatch-agent-members\\.watch\\.svc:8080\n$`),
    );
});

const refused: readonly (readonly [what: string, charts: readonly string[], values: object, message: RegExp])[] = [
  [
    "a token beside an auth document",
    both,
    { secrets: { apiToken: { name: "t" } }, auth: { existingSecret: "a" }, replicas: undefined },
    /secrets\.apiToken\.name: cannot be set together with auth\.existingSecret/,
  ],
  ["an unknown flag", both, { extraFlags: { "log-levle": "info" } }, /extraFlags/],
  ["a flag that the chart sets", both, { extraFlags: { listen: "0.0.0.0:1" } }, /extraFlags/],
  ["a secret in a flag", both, { extraFlags: { "api-token": "x" } }, /extraFlags/],
  [
    "a label of the chart",
    both,
    { commonLabels: { "app.kubernetes.io/name": "x" } },
    /commonLabels: the label app\.kubernetes\.io\/name is set by the chart/,
  ],
  [
    "a label of the chart on pods",
    both,
    { podLabels: { "helm.sh/chart": "x" } },
    /podLabels: the label helm\.sh\/chart/,
  ],
  [
    "a budget of all replicas",
    [aggregator],
    { podDisruptionBudget: { minAvailable: 2 } },
    /podDisruptionBudget\.minAvailable: must be below the 2 replicas/,
  ],
  ["a budget in words", [aggregator], { podDisruptionBudget: { minAvailable: "one" } }, /minAvailable/],
  [
    "a budget of all",
    [aggregator],
    { podDisruptionBudget: { minAvailable: "100%" } },
    /minAvailable: must be below 100%/,
  ],
  ["a misspelt field of a toleration", both, { tolerations: [{ key: "a", efect: "NoSchedule" }] }, /efect/],
  ["a misspelt field of an environment variable", both, { extraEnv: [{ name: "A", valu: "x" }] }, /valu/],
  ["a misspelt field of a mount", both, { extraVolumeMounts: [{ name: "a", mountpath: "/a" }] }, /mountpath/],
  ["a pull secret as a text", both, { imagePullSecrets: ["a"] }, /imagePullSecrets/],
  ["an invalid size", [agent], { persistence: { size: "8 GB" } }, /size/],
  ["an invalid amount of memory", both, { resources: { limits: { memory: "1Gb" } } }, /memory/],
  ["a port with a fraction", both, { service: { port: 8080.5 } }, /port/],
  ["a name that is too long", both, { fullnameOverride: "a".repeat(53) }, /fullnameOverride/],
  ["a name that no Service can have", both, { fullnameOverride: "1st" }, /fullnameOverride/],
  [
    "two documents",
    [agent],
    { config: { document: "hosts: a: {}\n", existingConfigMap: "mine" } },
    /config\.existingConfigMap: cannot be set together with config\.document/,
  ],
  [
    "two realms documents",
    [aggregator],
    { realms: { document: "realms: a: {}\n", existingConfigMap: "mine" } },
    /realms\.existingConfigMap: cannot be set together/,
  ],
  ["an ingress without hosts", both, { ingress: { enabled: true } }, /ingress\.hosts: required/],
  ["a route without a gateway", both, { httpRoute: { enabled: true } }, /httpRoute\.parentRefs: required/],
  [
    "both monitors",
    both,
    { serviceMonitor: { enabled: true }, podMonitor: { enabled: true } },
    /podMonitor\.enabled: cannot be set together/,
  ],
  [
    "a worker without zones",
    [agent],
    { worker: { enabled: true }, nats: { url: "nats://n:4222" } },
    /worker\.zones: required/,
  ],
  ["three agents of a realm", [agent], { ...pair, replicas: 3 }, /replicas/],
  ["a pair without NATS", [agent], { ...pair, nats: {} }, /nats\.url: required with replicas: 2/],
  ["a pair without TLS", [agent], { ...pair, pair: {} }, /pair\.insecure: required with replicas: 2/],
  [
    "a pair whose port asks for certificates",
    [agent],
    { ...pair, metrics: { port: 9100 }, tls: { secretName: "cert", clientCa: true } },
    /tls\.clientCa: cannot be set together with replicas: 2/,
  ],
  [
    "a pair with one claim",
    [agent],
    { ...pair, persistence: { existingClaim: "old" } },
    /persistence\.existingClaim: cannot be set together with replicas: 2/,
  ],
  [
    "a pair with sessions of one member",
    [agent],
    { ...pair, auth: { existingSecret: "people" } },
    /secrets\.sessionSecret\.name: required with replicas: 2/,
  ],
  ["a pair of workers", [agent], { ...worker, replicas: 2 }, /replicas: cannot be set together with worker\.enabled/],
  [
    "a secret of a pair at one agent",
    [agent],
    { secrets: { pairSecret: { name: "ours" } } },
    /secrets\.pairSecret\.name: requires replicas: 2/,
  ],
  ["the address of the other member", [agent], { ...pair, extraFlags: { "pair-peer": "http://x" } }, /extraFlags/],
  ["a worker without NATS", [agent], { worker: { enabled: true, zones: ["a"] } }, /nats\.url: required/],
  ["an invalid interval", both, { serviceMonitor: { interval: "30 seconds" } }, /interval/],
];

describe("values that are refused with a sentence that names them", { skip }, () => {
  for (const [what, charts, values, message] of refused)
    for (const chart of charts)
      test(`${chart}: ${what}`, () => assert.throws(() => render(helm, chart, values), message));
});

describe("the chart of a centre or a datacenter", { skip }, () => {
  const rendered = (part: string, values: object = {}): readonly Manifest[] =>
    render(helm, "realmwatch", values, ["--values", join(root, "charts", "realmwatch", `values-${part}.yaml`)]);

  test("installs two aggregators with the values of a centre", () => {
    const manifests = rendered("centre");
    assert.equal(at(pick(manifests, "Deployment"), "spec", "replicas"), 2);
    assert.ok(argsOf(manifests).includes("-redis-url=redis://redis:6379"));
    assert.ok(manifests.every(({ kind }) => kind !== "StatefulSet"));
  });

  test("installs an agent with the values of a datacenter", () => {
    const manifests = rendered("datacenter", { agent: { realm: "ams" } });
    assert.ok(argsOf(manifests).includes("-realm=ams"));
    assert.ok(manifests.every(({ kind }) => kind !== "Deployment"));
  });

  test("refuses what its charts refuse", () => {
    assert.throws(() => rendered("datacenter", { agent: { realmz: "ams" } }), /realmz/);
    assert.throws(() => rendered("centre", { aggregater: {} }), /aggregater/);
  });
});
