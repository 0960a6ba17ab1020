import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CertificateKeyPair } from "@realmwatch/agent/checks/connect/certificates.fixture";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { type ServerProcess, startServer } from "./server-process.ts";

/** Starts nginx with HTTP on 127.0.0.1 and, where there is IPv6, ::1, HTTPS on 127.0.0.2 at the same port, and one page per case. */
export function startNginx(pair: CertificateKeyPair): Promise<ServerProcess> {
  return startServer({
    program: "nginx",
    prepare(folder, port) {
      mkdirSync(join(folder, "pages"));
      writeFileSync(join(folder, "pages/hello"), "hello\n");
      // Sparse file: it uses no disk space and takes forever to send.
      writeFileSync(join(folder, "pages/endless"), "");
      truncateSync(join(folder, "pages/endless"), 2 ** 40);
      writeFileSync(join(folder, "pages/limit"), Buffer.alloc(1_048_576));
      writeFileSync(join(folder, "cert.pem"), pair.cert);
      writeFileSync(join(folder, "key.pem"), pair.key, { mode: 0o600 });
      writeFileSync(join(folder, "nginx.conf"), configuration(folder, port));
    },
    argumentsFor: (folder) => ["-p", folder, "-e", join(folder, "error.log"), "-c", join(folder, "nginx.conf")],
  });
}

const temporary = (folder: string): string =>
  ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");

const configuration = (folder: string, port: number): string => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary(folder)}
  server {
    listen 127.0.0.1:${port};
    ${ipv6SkipReason ? "" : `listen [::1]:${port};`}
    listen 127.0.0.2:${port} ssl;
    ssl_certificate ${folder}/cert.pem;
    ssl_certificate_key ${folder}/key.pem;
    root ${folder}/pages;
    location = /gone { return 404; }
    location = /teapot { return 418 "short and stout"; }
    location = /broken { return 503; }
    location = /loop { return 302 /loop; }
    location = /once { return 301 /hello; }
    location = /other { return 307 http://[::1]:${port}/hello; }
    location = /secret { return 302 http://user:hush@127.0.0.1:${port}/gone; }
    location = /hangs-up { return 444; }
    location = /guarded { if ($http_authorization = "") { return 401; } return 301 /guarded/; }
    location = /guarded/ { if ($http_authorization = "") { return 401; } return 204; }
    location = /elsewhere { return 301 http://[::1]:${port}/guarded/; }
    location = /agent { return 200 "$http_user_agent|$http_accept_encoding|$http_connection"; }
  }
}
`;
