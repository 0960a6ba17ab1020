/** Setup of the commands of a page beside that of all pages. */
type PageSetup = {
  /** Texts by file name, in the folder in which the commands run. */
  readonly files?: Readonly<Record<string, string>>;
  /** Commands, by their beginnings, that end with another code than 0 on the page itself. */
  readonly codes?: Readonly<Record<string, number>>;
  /** True where the page begins with an empty data directory. */
  readonly isNew?: boolean;
  /** Server that the page speaks of. Default: an agent without logins. */
  readonly server?: "aggregator" | "with logins";
};

const hosts = `hosts: web1: {
	address: "192.0.2.10"
	labels: {app: "shop", env: "prod"}
	check: {type: "passive", freshness_threshold: "1h", flap: {}}
	services: {
		[string]: check: {type: "passive", freshness_threshold: "1h", flap: {}}
		http: {notification: "page"}
		backup: {}
		DiskFull: {}
	}
}
`;
/** Document with the objects and contacts that the pages name. */
export const office = `${hosts}contacts: {
	ann: {type: "email", address: "ann@example.org"}
	chief: {type: "email", address: "chief@example.org"}
	duty: {type: "pager", routing_key: "0123456789abcdef0123456789abcdef"}
}
notifications: page: levels: [{contacts: ["ann", "duty"]}]
receivers: prom: {type: "alertmanager", host: "node", service: "alertname"}
ui: availability: {}
timezone: "Europe/Berlin"
timeperiods: office: ranges: {monday: "09:00-17:00", friday: "09:00-17:00"}
slos: "Shop in the day": {selector: "app=shop", target: 99.9}
`;

const nagiosObjects = `define command {
  command_name check_ping
  command_line /bin/true
}
define timeperiod {
  timeperiod_name always
  alias always
  monday 00:00-24:00
}
define contact {
  contact_name ann
  host_notification_commands check_ping
  service_notification_commands check_ping
  host_notification_period always
  service_notification_period always
}
define host {
  host_name web1
  address 192.0.2.10
  check_command check_ping
  max_check_attempts 3
  check_period always
  notification_period always
  contacts ann
}
define service {
  host_name web1
  service_description http
  check_command check_ping
  max_check_attempts 3
  check_period always
  notification_period always
  contacts ann
}
`;

/** Setup of the commands by page. */
export const pageSetups: Readonly<Record<string, PageSetup>> = {
  "authentication.md": { files: { "password-of-ann": "correct horse battery\n", "realm.cue": "hosts: {}\n" } },
  "migrate-from-icinga2.md": {
    files: {
      "icinga2/icinga2.conf": `object Host "web1" {\n  address = "192.0.2.10"\n  check_command = "hostalive"\n}\n`,
      "icinga2-data/icinga2.state": '69:{"name":"web1","type":"Host","update":{"state_raw":0,"state_type":1}},',
    },
    isNew: true,
  },
  "migrate-from-nagios.md": { isNew: true },
  "nats.md": { files: { "realms.cue": "realms: fra: {}\n" } },
  "charts/realmwatch/README.md": { files: { "fra.cue": "hosts: {}\n" } },
  "charts/realmwatch-agent/README.md": { files: { "fra.cue": "hosts: {}\n" } },
  "charts/realmwatch-aggregator/README.md": { files: { "realms.cue": "realms: fra: {}\n" } },
  "hand-over-a-shift.md": { server: "aggregator" },
  "pair.md": { files: { "fra.cue": "hosts: {}\n" } },
  "report-a-month.md": { server: "aggregator" },
  "tls.md": { files: { "realm.cue": "hosts: {}\n" } },
  "try-notifications.md": {
    files: { "office.cue": office, "new.cue": office },
    codes: { "realmwatch notify test duty": 1 },
    server: "with logins",
  },
  "zones.md": { files: { "realms.cue": "realms: fra: {}\n" } },
};

/** Files of a Nagios, in the folder of its installation. */
export const nagiosFiles = (folder: string, user: string): Readonly<Record<string, string>> => ({
  "etc/nagios.cfg": [
    `cfg_file=${folder}/etc/objects.cfg`,
    `precached_object_file=${folder}/var/objects.precache`,
    `object_cache_file=${folder}/var/objects.cache`,
    `status_file=${folder}/var/status.dat`,
    `state_retention_file=${folder}/var/retention.dat`,
    `log_file=${folder}/var/nagios.log`,
    `check_result_path=${folder}/var`,
    `temp_path=${folder}/var`,
    `temp_file=${folder}/var/temp`,
    `lock_file=${folder}/var/lock`,
    `command_file=${folder}/var/nagios.cmd`,
    `nagios_user=${user}`,
    `nagios_group=${user}`,
    "",
  ].join("\n"),
  "etc/objects.cfg": nagiosObjects,
  "var/status.dat":
    "info {\n\tcreated=1\n\t}\nhoststatus {\n\thost_name=web1\n\thas_been_checked=1\n\tcurrent_state=0\n\tstate_type=1\n\tlast_check=1\n\t}\n",
  "var/retention.dat": "info {\ncreated=1\n}\nhost {\nhost_name=web1\ncurrent_state=0\nstate_type=1\n}\n",
});

/** Block that is not run here: its page and a part of its text, the reason, and the test that runs it instead. */
type NotRun = readonly [page: string, part: string, reason: string, test?: string];

const release = "needs the files of a release, which take minutes to build";
const cluster = "builds images or changes a cluster";
const pair = "needs two agents that are members of a pair";

export const notRun: readonly NotRun[] = [
  ["README.md", "npm start", "builds everything and runs until it is stopped", "test/run/start.test.ts"],
  ["charts/realmwatch/README.md", "nats/nats --values", "downloads a chart", "test/charts/centre-values.test.ts"],
  ["call-the-api.md", "curl -sS -H", "has a test of its own", "test/api/call-the-api.test.ts"],
  ["call-the-api.md", "curl -sS --get", "has a test of its own", "test/api/call-the-api.test.ts"],
  ["call-the-api.md", "grpcurl -plaintext", "has a test of its own", "test/api/call-the-api.test.ts"],
  ["deploy.md", "docker build", cluster, "test/docs/deploy.test.ts"],
  ["deploy.md", "compose.yaml up", cluster, "test/docs/deploy.test.ts"],
  ["deploy.md", "VERSION=", cluster, "test/docs/deploy.test.ts"],
  ["deploy.md", "helm test fra", cluster, "test/docs/deploy.test.ts"],
  ["install.md", "sha256sum", release, "test/release/packages.test.ts"],
  ["install.md", "apt install", release, "test/release/packages.test.ts"],
  ["install.md", "bin/realmwatch-agent", release, "test/release/packages.test.ts"],
  ["install.md", "systemd-sysusers", release, "test/release/packages.test.ts"],
  ["install.md", "helm install", release, "test/release/packages.test.ts"],
  ["migrate-from-icinga2.md", "icinga2 object list", "asks the Icinga 2 of the machine, which is not configured here"],
  ["nats.md", "helm install", "downloads a chart", "test/charts/centre-values.test.ts"],
  ["nats.md", "forget-realm", "listens for 15 s", "aggregator/src/commands/nats-sub-commands.test.ts"],
  ["pair.md", "realmwatch pair -server", pair, "test/docs/tutorials.test.ts"],
  ["pair.md", "realmwatch pair switch", pair, "test/docs/tutorials.test.ts"],
  ["pair.md", "realmwatch pair promote", pair, "shared/cli/src/commands/pair/pair.test.ts"],
  [
    "shadow-nagios.md",
    "-livestatus",
    "needs a Nagios with the module Livestatus",
    "test/migration/shadow-icinga2.test.ts",
  ],
  ["shadow-nagios.md", "-icinga", "needs the API of an Icinga 2", "test/migration/shadow-icinga2.test.ts"],
  ["zones.md", "-nats-creds", "needs a NATS with an operator's credentials", "test/system/workers.test.ts"],
];
