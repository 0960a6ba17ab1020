import { Session } from "node:inspector/promises";
import { pathToFileURL } from "node:url";
import { root } from "../../architecture/sources.ts";

/** Counter of the work of JavaScript code, which does not depend on the load of the machine. */
export type WorkCounter = {
  /** Runs `work` and returns how many blocks of the product's code it executed. */
  count(work: () => unknown): Promise<number>;
  close(): Promise<void>;
};

/** Opens a counter by V8's block coverage. Matching of regular expressions and built-in functions count as no work. */
export async function openWorkCounter(): Promise<WorkCounter> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const product = ["agent", "aggregator", "shared"].map((name) => `${pathToFileURL(root).href}/${name}/src/`);
  const take = async (): Promise<number> => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ url }) => product.some((folder) => url.startsWith(folder)))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)))
      .reduce((sum, count) => sum + count, 0);
  };
  return {
    async count(work) {
      await take();
      work();
      return take();
    },
    async close() {
      await session.post("Profiler.stopPreciseCoverage");
      session.disconnect();
    },
  };
}
