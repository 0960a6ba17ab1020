import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFlags } from "@realmwatch/agent/flags";
import { aggregatorFlags } from "@realmwatch/aggregator/flags";
import { parse } from "yaml";
import { root } from "../architecture/sources.ts";

/** Schema of a value, as in JSON Schema draft 7. */
type Schema = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const texts = { type: "array", items: text };
const textMap = { type: "object", additionalProperties: text };
const anyObject = { type: "object" };
const textOf = (pattern: string) => ({ type: "string", pattern });
const port = { type: "integer", minimum: 1, maximum: 65_535 };
const name = textOf("^([a-z]([-a-z0-9]{0,50}[a-z0-9])?)?$");
const quantity = "[0-9]+(\\.[0-9]+)?([KMGTPE]i|[mkMGTPE])?";
const span = textOf("^([0-9]+(ms|s|m|h))*$");

/** List whose items have these fields and no others. */
const listOf = (fields: Readonly<Record<string, unknown>>, required: readonly string[] = []) => ({
  type: "array",
  items: { type: "object", additionalProperties: false, required, properties: fields },
});
const anyOf = (...names: readonly string[]) => Object.fromEntries(names.map((each) => [each, true]));

const containers = listOf(
  anyOf(
    ...["name", "image", "imagePullPolicy", "command", "args", "workingDir", "env", "envFrom", "ports", "resources"],
    ...["resizePolicy", "restartPolicy", "securityContext", "volumeMounts", "volumeDevices", "lifecycle"],
    ...["livenessProbe", "readinessProbe", "startupProbe", "stdin", "stdinOnce", "tty"],
    ...["terminationMessagePath", "terminationMessagePolicy"],
  ),
  ["name", "image"],
);
const probe = {
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(
    ["initialDelaySeconds", "periodSeconds", "timeoutSeconds", "failureThreshold", "successThreshold"].map((each) => [
      each,
      { type: "integer", minimum: 0 },
    ]),
  ),
};
const peers = listOf(anyOf("podSelector", "namespaceSelector", "ipBlock"));

/** Schemas of values that their defaults do not give, by path. */
const special: Readonly<Record<string, Schema>> = {
  "image.repository": { type: "string", minLength: 1 },
  "image.digest": textOf("^(sha256:[0-9a-f]{64})?$"),
  "image.pullPolicy": { enum: ["Always", "IfNotPresent", "Never"] },
  imagePullSecrets: listOf({ name: text }, ["name"]),
  nameOverride: name,
  fullnameOverride: name,
  commonLabels: textMap,
  podLabels: textMap,
  podAnnotations: textMap,
  realm: textOf("^[a-z][a-z0-9-]{0,62}$"),
  logLevel: { enum: ["debug", "info", "warn", "error"] },
  "config.document": { type: "string", minLength: 1 },
  "realms.document": { type: "string", minLength: 1 },
  "nats.url": textOf("^((nats|tls|ws|wss)://.+)?$"),
  "redis.url": textOf("^(rediss?://.+)?$"),
  "metrics.port": { type: "integer", minimum: 0, maximum: 65_535 },
  "service.type": { enum: ["ClusterIP", "NodePort", "LoadBalancer"] },
  "service.port": port,
  "service.annotations": textMap,
  replicas: { type: "integer", minimum: 1 },
  "pair.service": { enum: ["ready", "active"] },
  "worker.replicas": { type: "integer", minimum: 1 },
  "worker.zones": { type: "array", items: textOf("^[^\\s,]+$") },
  "persistence.size": textOf(`^${quantity}$`),
  persistentVolumeClaimRetentionPolicy: {
    type: "object",
    additionalProperties: false,
    properties: { whenDeleted: { enum: ["Retain", "Delete"] }, whenScaled: { enum: ["Retain", "Delete"] } },
  },
  updateStrategy: {
    type: "object",
    additionalProperties: false,
    properties: { type: { enum: ["RollingUpdate", "OnDelete"] }, rollingUpdate: anyObject },
  },
  strategy: {
    type: "object",
    additionalProperties: false,
    properties: { type: { enum: ["RollingUpdate", "Recreate"] }, rollingUpdate: anyObject },
  },
  "podDisruptionBudget.minAvailable": {
    anyOf: [{ type: "integer", minimum: 0 }, textOf("^[0-9]{1,3}%$")],
  },
  "probes.startupSeconds": { type: "integer", minimum: 10, maximum: 3_600 },
  "probes.liveness": probe,
  "probes.readiness": probe,
  terminationGracePeriodSeconds: { type: "integer", minimum: 15, maximum: 600 },
  resources: {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      ["requests", "limits"].map((each) => [
        each,
        { type: "object", additionalProperties: { anyOf: [{ type: "number" }, textOf(`^${quantity}$`)] } },
      ]),
    ),
  },
  nodeSelector: textMap,
  tolerations: listOf(anyOf("key", "operator", "value", "effect", "tolerationSeconds")),
  affinity: {
    type: "object",
    additionalProperties: false,
    properties: anyOf("nodeAffinity", "podAffinity", "podAntiAffinity"),
  },
  topologySpreadConstraints: listOf(
    anyOf(
      ...["maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector", "minDomains", "matchLabelKeys"],
      ...["nodeAffinityPolicy", "nodeTaintsPolicy"],
    ),
    ["maxSkew", "topologyKey", "whenUnsatisfiable"],
  ),
  hostAliases: listOf({ ip: text, hostnames: texts }, ["ip", "hostnames"]),
  dnsConfig: {
    type: "object",
    additionalProperties: false,
    properties: { nameservers: texts, searches: texts, options: listOf({ name: text, value: text }) },
  },
  "serviceAccount.annotations": textMap,
  podSecurityContext: anyObject,
  securityContext: anyObject,
  "ingress.annotations": textMap,
  "ingress.hosts": listOf(
    {
      host: text,
      paths: listOf({ path: textOf("^/"), pathType: { enum: ["Prefix", "Exact", "ImplementationSpecific"] } }, [
        "path",
      ]),
    },
    ["host"],
  ),
  "ingress.tls": listOf({ secretName: text, hosts: texts }),
  "httpRoute.annotations": textMap,
  "httpRoute.parentRefs": listOf(anyOf("group", "kind", "namespace", "name", "sectionName", "port"), ["name"]),
  "httpRoute.hostnames": texts,
  "httpRoute.matches": listOf(anyOf("path", "headers", "queryParams", "method")),
  "httpRoute.filters": { type: "array", items: anyObject },
  "networkPolicy.ingress.from": peers,
  "networkPolicy.ingress.metricsFrom": peers,
  "networkPolicy.ingress.extra": listOf(anyOf("from", "ports")),
  "networkPolicy.egress.ports": { type: "array", minItems: 1, items: port },
  "networkPolicy.egress.extra": listOf(anyOf("to", "ports")),
  ...Object.fromEntries(
    ["serviceMonitor", "podMonitor"].flatMap((monitor): [string, Schema][] => [
      [`${monitor}.labels`, textMap],
      [`${monitor}.interval`, span],
      [`${monitor}.scrapeTimeout`, span],
      [`${monitor}.tlsConfig`, anyObject],
      [`${monitor}.relabelings`, { type: "array", items: anyObject }],
      [`${monitor}.metricRelabelings`, { type: "array", items: anyObject }],
    ]),
  ),
  "prometheusRule.labels": textMap,
  "grafanaDashboard.labels": textMap,
  "grafanaDashboard.annotations": textMap,
  extraEnv: listOf({ name: textOf("^[A-Za-z_][A-Za-z0-9_]*$"), ...anyOf("value", "valueFrom") }, ["name"]),
  extraInitContainers: containers,
  extraContainers: containers,
  extraVolumeMounts: listOf(
    anyOf("name", "mountPath", "subPath", "subPathExpr", "readOnly", "recursiveReadOnly", "mountPropagation"),
    ["name", "mountPath"],
  ),
  extraVolumes: listOf(
    anyOf(
      ...["name", "emptyDir", "hostPath", "secret", "configMap", "persistentVolumeClaim", "projected", "downwardAPI"],
      ...["csi", "nfs", "ephemeral", "image", "iscsi", "fc", "cephfs", "rbd", "azureFile"],
    ),
    ["name"],
  ),
};

/** Flags of a program that `extraFlags` may set: those that the chart sets itself would be given twice. */
function extraFlags(program: "agent" | "aggregator"): Schema {
  const templates = ["_program.tpl", "_names.tpl", "_pod.tpl"].map((file) =>
    readFileSync(join(root, "charts", `realmwatch-${program}`, "templates", file), "utf8"),
  );
  const set = new Set(templates.flatMap((part) => [...part.matchAll(/^- -([a-z-]+)/gm)].map(([, flag]) => flag)));
  const flags = program === "agent" ? agentFlags : aggregatorFlags;
  const secrets = Object.keys(valuesOf(`realmwatch-${program}`)["secrets"] as object).map((key) =>
    key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
  // The address of the other member is in the command of a pair.
  const others = Object.keys(flags).filter(
    (flag) => ![...set, ...secrets, "check-config", "lint", "v", "pair-peer"].includes(flag),
  );
  const value = { type: ["string", "number", "boolean"] };
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(others.toSorted().map((flag) => [flag, value])),
  };
}

/** Default values of a chart. */
const valuesOf = (chart: string): Readonly<Record<string, unknown>> =>
  parse(readFileSync(join(root, "charts", chart, "values.yaml"), "utf8"));

/** Schema that the default values and the special schemas give; no other fields are allowed. */
function schemaOf(value: unknown, path: string): Schema {
  const known = special[path];
  if (known !== undefined) return known;
  if (typeof value === "string") return text;
  if (typeof value === "boolean") return { type: "boolean" };
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    throw new Error(`values.yaml: ${path} has no schema`);
  return objectSchema(value as Readonly<Record<string, unknown>>, path === "" ? "" : `${path}.`);
}

const objectSchema = (values: Readonly<Record<string, unknown>>, prefix: string): Schema => ({
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, schemaOf(value, prefix + key)])),
});

/** Text of values.schema.json of a chart of a program. */
export function valuesSchema(program: "agent" | "aggregator"): string {
  const { extraFlags: _, ...values } = valuesOf(`realmwatch-${program}`);
  const schema = objectSchema(values, "");
  const replicas = program === "agent" ? { replicas: { enum: [1, 2] } } : {};
  return `${JSON.stringify(
    {
      $schema: "https://json-schema.org/draft-07/schema#",
      title: `Values of realmwatch-${program}`,
      ...schema,
      properties: {
        ...(schema["properties"] as object),
        ...replicas,
        extraFlags: extraFlags(program),
        global: anyObject,
      },
    },
    undefined,
    2,
  )}\n`;
}
