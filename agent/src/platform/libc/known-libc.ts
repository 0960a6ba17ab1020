/** Whether the layouts and numbers that `libc-sockets.ts` knows are those of this machine. */
export const isLibcSupported = (): boolean =>
  process.platform === "linux" && ["x64", "arm64", "riscv64"].includes(process.arch);
