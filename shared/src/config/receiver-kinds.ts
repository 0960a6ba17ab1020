import { type NamePattern, parseNamePattern } from "./name-pattern.ts";
import { nonEmptyString, refineParser, string } from "./parser/scalars.ts";
import { list, optional, required, struct, type VariantTypes, withDefault } from "./parser/structs.ts";
import { tokenHashParser } from "./parser/token-hash.ts";

/** Name of a label as Prometheus writes it; the text of newer versions may have any other character than braces. */
const labelName = refineParser(nonEmptyString, {
  convert: (value, complainAbout) => (/[{}]/.test(value) ? complainAbout("must be the name of a label") : value),
  fallback: "severity",
  constraint: "the name of a label",
});

const noPattern: NamePattern = [];
const convertPattern = (value: string, complainAbout: (predicate: string) => undefined): NamePattern | undefined => {
  const parsed = parseNamePattern(value);
  return parsed.ok ? parsed.value : complainAbout(parsed.error);
};
const constraint = "the name of a label, or a text with `{{label}}` in it";

/** Text that gives the name of an object. */
const namePattern = refineParser(nonEmptyString, { convert: convertPattern, fallback: noPattern, constraint });
/** As `namePattern`, but it may be empty. */
const optionalNamePattern = refineParser(string, {
  convert: (value, complainAbout) => (value === "" ? noPattern : convertPattern(value, complainAbout)),
  fallback: noPattern,
  constraint,
});

const severityDefaults = { label: "severity", critical: ["critical", "page"], warning: ["warning"] };

const severity = struct(
  {
    label: withDefault(labelName, severityDefaults.label, {
      help: "Label that has the severity of an alert.",
      example: "priority",
    }),
    critical: withDefault(list(string), severityDefaults.critical, {
      help: "Values of the label with which an alert is critical.",
      example: ["P1", "P2"],
    }),
    warning: withDefault(list(string), severityDefaults.warning, {
      help: "Values of the label with which an alert is a warning. An alert with any other value is unknown.",
      example: ["P3"],
      constraint: "none of them in `critical`",
    }),
  },
  { title: "Severity", intro: "Status that a firing alert gives its object." },
);

/**
 * Every type of receiver by the name that a document gives as `type`. Schema, reference and plans follow from this map.
 */
export const receiverKinds = {
  alertmanager: {
    summary: "Takes alerts as a Prometheus sends them to an Alertmanager (API version 2).",
    uses: "none",
    fields: {
      host: required(namePattern, {
        help: "Label whose value is the name of the host, or a text in which each `{{label}}` stands for a value.",
        example: "{{node}}.example.org",
      }),
      service: withDefault(optionalNamePattern, noPattern, {
        help: "The same for the name of the service on that host; empty: the alerts are about the host itself.",
        example: "alertname",
      }),
      severity: withDefault(severity, severityDefaults, { help: "Status of the alerts that fire." }),
      token_hash: optional(tokenHashParser, {
        secret: true,
        help: "Hash of the token that the sender has to present: the hash that `new-token` prints with the token.",
        example: "sha256:63f0e23a65e5349518acfe4d79b8495c01b89ada940d46d3b1e6976fdb9f5ac5",
        constraint: "without it, an agent with authentication takes no alerts",
      }),
    },
  },
} satisfies VariantTypes;

export type ReceiverType = keyof typeof receiverKinds;
