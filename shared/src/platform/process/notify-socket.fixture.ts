import assert from "node:assert/strict";
import koffi from "koffi";

/**
 * Listens on a socket as a service manager does, and returns a function that takes the notifications received since its
 * last call.
 *
 * @param name path of the socket, or `@` and an abstract name
 */
export function receiveNotifications(name: string, scope: { after(cleanup: () => void): void }): () => string[] {
  const libc = koffi.load(null);
  const fd = libc.func("int socket(int, int, int)")(1, 2, 0);
  const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : name);
  const address = Buffer.concat([Buffer.from([1, 0]), path]);
  assert.equal(libc.func("int bind(int, const void *, uint32_t)")(fd, address, address.length), 0);
  const recv = libc.func("long recv(int, void *, size_t, int)");
  scope.after(() => libc.func("int close(int)")(fd));
  return () => {
    const received: string[] = [];
    for (const buffer = Buffer.alloc(4096); ; ) {
      const length = Number(recv(fd, buffer, buffer.length, 0x40));
      if (length < 0) return received;
      received.push(buffer.toString("utf8", 0, length));
    }
  };
}
