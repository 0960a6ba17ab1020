import { check, flap } from "./check-document.ts";
import { hostName, labels, objectName, vars } from "./object-names.ts";
import { rule } from "./rule-document.ts";
import { filled, flag, list, map, optional, type Read, required, struct, text, word } from "./shape.ts";

const common = {
  vars,
  check: required(check),
  notification: optional(text, ""),
  labels,
  handler: optional(text, ""),
  handler_enabled: optional(flag, true),
};

const service = struct({ ...common, zone: optional(text, "") });
const host = struct({
  ...common,
  address: required(filled),
  parents: optional(list(text), []),
  services: optional(map(service, objectName), new Map()),
  zone: optional(filled, "default"),
});
const process = struct({
  rule: required(rule),
  labels,
  vars,
  notification: optional(text, ""),
  flap: optional(flap, {
    enabled: true,
    alpha: 0.1,
    high_threshold: 0.3,
    low_threshold: 0.15,
    notify_on_flap_stop: false,
  }),
  states: optional(word(["hard", "soft"]), "hard"),
  ignore: optional(list(word(["downtime", "acknowledged"])), []),
  description: optional(text, ""),
});

export const hosts = required(map(host, hostName));
export const processes = optional(map(process, objectName), new Map());
export type HostDocument = Read<typeof host>;
export type ServiceDocument = Read<typeof service>;
export type ProcessDocument = Read<typeof process>;
