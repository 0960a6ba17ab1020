import { fileURLToPath } from "node:url";
import { retry } from "../../platform/outbound/delivery-result.ts";
import { FolderArchive } from "../archive/folder-archive.ts";
import { openObjectStore, storeRequestMs } from "../archive/object-store.ts";
import { StoreArchive } from "../archive/store-archive.ts";
import type { SinkWriter, SinkWriterType } from "../sink-type.ts";

/** Writes events to segments: files of a folder (`file://`), or objects of a store (`s3://bucket/prefix`). */
export const archiveSinkType: SinkWriterType<"archive"> = {
  timeoutMs: storeRequestMs,
  alwaysResumes: true,
  open(plan, dependencies) {
    const url = URL.parse(plan.url);
    if (url?.protocol === "file:" && url.host === "")
      return new FolderArchive({ ...plan, ...dependencies, folder: fileURLToPath(url) });
    if (url?.protocol === "s3:" && url.host !== "") {
      const store = openObjectStore({ bucket: url.host, ...dependencies });
      const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, "");
      return new StoreArchive({ ...plan, ...dependencies, prefix, store });
    }
    return refusingWriter;
  },
};

const refusingWriter: SinkWriter = {
  send: async () => retry("setup", "its address is neither file:///folder nor s3://bucket/prefix"),
  async close() {},
};
