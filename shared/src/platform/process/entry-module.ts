/**
 * File of a module that a worker thread or a child program starts with: `name`.ts in the folder of `from`, or in a build
 * `name`.js beside the bundle. The build searches the sources for calls, so both arguments are written out: the name as
 * text, and `import.meta.url`.
 */
export const entryModule = (name: string, from: string): URL =>
  new URL(`./${name}${from.slice(from.lastIndexOf("."))}`, from);
