/**
 * Hosts of URLs that mean the address 127.0.0.1 or ::1: short, octal, decimal and hexadecimal forms, percent-encoded
 * and international characters that URLs map to ASCII, a user before the host, names, and IPv6 addresses with an IPv4
 * address in them; and the unspecified addresses, in place of which systems connect to the loopback address.
 */
export const loopbackHosts: readonly string[] = [
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "%31%32%37.0.0.1",
  "127.0.0.1%2e",
  "user:password@127.1",
  "\u2460\u2461\u2466.\u24ea.\u24ea.\u2460",
  "\uff11\uff12\uff17.0.0.1",
  "127\u30020\u30020\u30021",
  "localhost",
  "LOCALHOST",
  "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "0.0.0.0",
  "0",
  "[::]",
  "[::ffff:0.0.0.0]",
];

/** Networks of `-outbound-deny` that contain the addresses of all these hosts. */
export const loopbackNetworks = "127.0.0.0/8, ::1";

/** URLs of other schemes than http and https, none of which is to be fetched. */
export const foreignUrls: readonly string[] = [
  "file:///etc/hostname",
  "file://localhost/etc/hostname",
  "gopher://127.0.0.1:9/_x",
  "unix:/run/docker.sock",
  "unix:///run/docker.sock",
  "http+unix://%2Frun%2Fdocker.sock/x",
  "ftp://127.0.0.1/x",
  "data:text/plain,x",
  "javascript:alert(1)",
  "//127.0.0.1/x",
  "/etc/hostname",
];
