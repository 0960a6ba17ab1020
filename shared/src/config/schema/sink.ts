import { keyMatching, map, variant } from "../parser/structs.ts";
import { sinkKinds } from "../sink-kinds/sink-kinds.ts";

const sink = variant("sink", sinkKinds, {
  title: "Sink",
  intro: "Copies performance data or events to another system.",
  example: `hosts: {}
sinks: {
	metrics: {type: "remote_write", url: "http://127.0.0.1:9090/api/v1/write", selector: "@kind=service"}
	audit: {type: "file", path: "/var/log/realmwatch/events.json", input: "events"}
}`,
});

export const sinksParser = map(sink, keyMatching(/^[a-z][a-z0-9_-]*$/));
