import type { hostRoles } from "./company.fixture.ts";

/** Block of an object definition. */
export const define = (type: string, fields: Readonly<Record<string, string | number>>): string =>
  `define ${type} {\n${Object.entries(fields)
    .map(([name, value]) => `    ${name.padEnd(32)}${value}\n`)
    .join("")}}\n\n`;

const nagiosCommands = [
  ...[
    "check_disk",
    "check_load",
    "check_procs",
    "check_http",
    "check_mysql",
    "check_smtp",
    "check_swap",
    "check_users",
  ],
  ...["check_ntp", "check_ssh", "check_cert", "check_queue", "check_dns"],
].map((name) =>
  define("command", { command_name: name, command_line: `$USER1$/${name} -H $HOSTADDRESS$ -w $ARG1$ -c $ARG2$` }),
);

/** Services of a role, on all of its hosts. */
export const roleServices: Readonly<
  Record<(typeof hostRoles)[number], readonly (readonly [name: string, command: string])[]>
> = {
  web: [
    ["HTTP", "check_http!2!5"],
    ["Certificate", "check_cert!30!14"],
    ["Workers", "check_procs!80!120"],
  ],
  db: [
    ["MySQL", "check_mysql!10!20"],
    ["Replication", "check_mysql!30!300"],
    ["Tablespace", "check_disk!20%!10%"],
  ],
  mail: [
    ["SMTP", "check_smtp!5!10"],
    ["Queue", "check_queue!200!500"],
    ["DNS", "check_dns!1!3"],
  ],
  app: [
    ["API", "check_http!1!3"],
    ["Jobs", "check_queue!50!100"],
    ["Threads", "check_procs!300!500"],
  ],
  cache: [
    ["Cache", "check_procs!1!5"],
    ["Hits", "check_queue!10!5"],
    ["Evictions", "check_queue!100!200"],
  ],
};
/** Services of all machines. */
export const commonServices: readonly (readonly [name: string, command: string])[] = [
  ["Disk", "check_disk!20%!10%"],
  ["Load", "check_load!5,4,3!10,8,6"],
  ["Swap", "check_swap!50%!20%"],
  ["Users", "check_users!5!10"],
  ["NTP", "check_ntp!0.5!1"],
  ["SSH", "check_ssh!1!3"],
];

/** Periods and commands. */
export const nagiosBasics = [
  define("timeperiod", {
    ...{ timeperiod_name: "24x7", alias: "Always", sunday: "00:00-24:00", monday: "00:00-24:00" },
    ...{ tuesday: "00:00-24:00", wednesday: "00:00-24:00", thursday: "00:00-24:00", friday: "00:00-24:00" },
    saturday: "00:00-24:00",
  }),
  "# Nobody is woken outside of these hours.\n",
  define("timeperiod", {
    ...{ timeperiod_name: "workhours", alias: "Office", monday: "08:00-18:00", tuesday: "08:00-18:00" },
    ...{ wednesday: "08:00-18:00", thursday: "08:00-18:00", friday: "08:00-18:00" },
  }),
  define("command", {
    command_name: "notify-by-email",
    command_line: '/usr/bin/printf "%b" "$NOTIFICATIONTYPE$" | /usr/bin/mail -s "$HOSTNAME$" $CONTACTEMAIL$',
  }),
  define("command", { command_name: "notify-by-pager", command_line: "/opt/pager/send $ARG1$" }),
  ...nagiosCommands,
].join("");

/** Contact that gets mails, with other directives. */
export const nagiosContact = (name: string, more: Readonly<Record<string, string>>): string =>
  define("contact", {
    ...{ contact_name: name, alias: `Contact ${name}`, email: `${name}@example.org` },
    ...{ host_notification_period: "24x7", service_notification_period: "24x7" },
    ...{ host_notification_options: "d,u,r", service_notification_options: "w,u,c,r" },
    ...{ host_notification_commands: "notify-by-email", service_notification_commands: "notify-by-email", ...more },
  });

/** Contacts and their groups. */
export const nagiosPeople = [
  nagiosContact("ann", {}),
  "# Bob sleeps through warnings.\n",
  nagiosContact("bob", {
    ...{ service_notification_options: "c,r", service_notification_commands: "notify-by-pager!bob" },
    host_notification_commands: "notify-by-pager!bob",
  }),
  nagiosContact("eve", { service_notification_commands: "notify-by-email,notify-by-pager!eve" }),
  nagiosContact("boss", { service_notification_period: "workhours", host_notification_period: "workhours" }),
  nagiosContact("gone", {}),
  define("contactgroup", { contactgroup_name: "ops", alias: "Operators", members: "ann,bob" }),
  define("contactgroup", { contactgroup_name: "dba", alias: "Databases", members: "eve", contactgroup_members: "ops" }),
].join("");

/** Directives of templates of hosts and services. */
export const hostTemplate = {
  ...{ check_command: "check_ssh!1!3", max_check_attempts: 4, check_interval: 5, retry_interval: 1 },
  ...{ check_period: "24x7", notification_period: "24x7", notification_interval: 60, contact_groups: "ops" },
  ...{ notification_options: "d,u,r", process_perf_data: 1, register: 0 },
};
export const serviceTemplate = {
  ...{ max_check_attempts: 3, check_interval: 5, retry_interval: 1, check_period: "24x7" },
  ...{ notification_period: "24x7", notification_interval: 60, contact_groups: "ops" },
  ...{ notification_options: "w,u,c,r", register: 0 },
};

/** Options of a main file, with paths that Nagios can write to in the folder of the sources. */
export const mainOptions = `cfg_dir=objects
resource_file=resource.cfg
object_cache_file=objects.cache
precached_object_file=objects.precache
log_file=nagios.log
lock_file=nagios.lock
temp_file=nagios.tmp
temp_path=/tmp
status_file=status.dat
state_retention_file=retention.dat
check_result_path=/tmp
command_file=nagios.cmd
interval_length=60
illegal_object_name_chars=\`~!$%^&*|'"<>?,()=
`;
