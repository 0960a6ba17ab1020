import { nonEmptyString } from "../parser/scalars.ts";
import { required } from "../parser/structs.ts";
import { cursorField, fileSizeField, sinkKind } from "./sink-kind.ts";

export const fileSinkKind = sinkKind({
  summary: "Appends lines of JSON to a file.",
  uses: "file",
  fields: {
    path: required(nonEmptyString, { help: "Path of the file.", example: "/var/log/realmwatch/events.json" }),
    rotate_bytes: fileSizeField("Size at which a new file is started, bytes."),
    cursor: cursorField,
  },
  compile: ({ path, rotate_bytes: rotateBytes, cursor }) => ({ path, rotateBytes, cursor }),
});
