import { type DescFile, type DescMessage, type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";

/** Descriptors of a server's services, for gRPC reflection. Files are serialized `FileDescriptorProto` messages. */
export type DescriptorIndex = ReturnType<typeof indexDescriptors>;

export function indexDescriptors(services: readonly DescService[]) {
  const files = new Map<string, DescFile>();
  const symbols = new Map<string, DescFile>();
  const messages = new Set<string>();

  function addMessage(message: DescMessage): void {
    symbols.set(message.typeName, message.file);
    messages.add(message.typeName);
    for (const { name } of [...message.fields, ...message.oneofs])
      symbols.set(`${message.typeName}.${name}`, message.file);
    for (const nested of message.nestedMessages) addMessage(nested);
    for (const nested of message.nestedEnums) symbols.set(nested.typeName, message.file);
  }
  function addFile(file: DescFile): void {
    if (files.has(file.proto.name)) return;
    files.set(file.proto.name, file);
    for (const message of file.messages) addMessage(message);
    for (const { typeName } of file.enums) symbols.set(typeName, file);
    for (const service of file.services.filter((one) => services.includes(one))) {
      symbols.set(service.typeName, file);
      for (const { name } of service.methods) symbols.set(`${service.typeName}.${name}`, file);
    }
    for (const imported of file.dependencies) addFile(imported);
  }
  for (const service of services) addFile(service.file);

  const withImports = (file: DescFile | undefined): Uint8Array[] | undefined =>
    file && [...importsOf(file)].map((each) => toBinary(FileDescriptorProtoSchema, each.proto));
  return {
    /** Returns a file and all that it imports; undefined for an unknown path. */
    filesByPath: (path: string) => withImports(files.get(path)),
    /**
     * Returns the file that declares a full name, and all that it imports; undefined for an unknown name and for a service
     * that is not served, which an imported file may declare.
     */
    filesBySymbol: (name: string) => withImports(symbols.get(name)),
    /** True for the full name of a message. */
    isMessage: (name: string) => messages.has(name),
  };
}

/** The file and its transitive imports, each once, the file first. */
function importsOf(file: DescFile, seen = new Set<DescFile>()): ReadonlySet<DescFile> {
  if (!seen.has(file)) {
    seen.add(file);
    for (const imported of file.dependencies) importsOf(imported, seen);
  }
  return seen;
}
