import { addressOf, type Company, hostRoles, numbers, range, sites } from "./company.fixture.ts";

const define = (type: string, fields: Readonly<Record<string, string | number>>): string =>
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
const roleServices: Readonly<
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
const commonServices: readonly (readonly [name: string, command: string])[] = [
  ["Disk", "check_disk!20%!10%"],
  ["Load", "check_load!5,4,3!10,8,6"],
  ["Swap", "check_swap!50%!20%"],
  ["Users", "check_users!5!10"],
  ["NTP", "check_ntp!0.5!1"],
  ["SSH", "check_ssh!1!3"],
];

const nagiosBasics = [
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

const nagiosContact = (name: string, more: Readonly<Record<string, string>>): string =>
  define("contact", {
    ...{ contact_name: name, alias: `Contact ${name}`, email: `${name}@example.org` },
    ...{ host_notification_period: "24x7", service_notification_period: "24x7" },
    ...{ host_notification_options: "d,u,r", service_notification_options: "w,u,c,r" },
    ...{ host_notification_commands: "notify-by-email", service_notification_commands: "notify-by-email", ...more },
  });

const nagiosPeople = [
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

const hostTemplate = {
  ...{ check_command: "check_ssh!1!3", max_check_attempts: 4, check_interval: 5, retry_interval: 1 },
  ...{ check_period: "24x7", notification_period: "24x7", notification_interval: 60, contact_groups: "ops" },
  ...{ notification_options: "d,u,r", process_perf_data: 1, register: 0 },
};
const serviceTemplate = {
  ...{ max_check_attempts: 3, check_interval: 5, retry_interval: 1, check_period: "24x7" },
  ...{ notification_period: "24x7", notification_interval: 60, contact_groups: "ops" },
  ...{ notification_options: "w,u,c,r", register: 0 },
};

/** A hoster: templates above templates, services of groups, escalations, and what accumulates in ten years. */
export function nagiosHoster(count: number): Company {
  const next = numbers(31);
  const hosts = range(count).map((n) => {
    const [site, role] = [sites[next(sites.length)] ?? "fra", hostRoles[n % hostRoles.length] ?? "web"];
    return { name: `${role}${String(n).padStart(3, "0")}`, site, role, n };
  });
  const gateways = sites.map((site, n) =>
    define("host", { use: "network", host_name: `gw-${site}`, alias: `Gateway of ${site}`, address: `10.0.${n}.1` }),
  );
  const objects = [
    "# What all machines have.\n",
    define("host", { name: "machine", ...hostTemplate }),
    define("host", { name: "network", use: "machine", max_check_attempts: 2, hostgroups: "network", register: 0 }),
    define("host", { name: "linux", use: "machine", hostgroups: "linux", register: 0 }),
    ...gateways,
    ...hosts.map(({ name, site, role, n }) =>
      define("host", {
        ...{
          use: "linux",
          host_name: name,
          address: addressOf(n),
          hostgroups: `+${role},${site}`,
          parents: `gw-${site}`,
        },
        ...(n % 17 === 0 ? { _RACK: `R${n % 7}`, notes_url: `https://wiki.example.org/${name}` } : {}),
      }),
    ),
    ...["linux", "network", ...hostRoles, ...sites].map((name) =>
      define("hostgroup", { hostgroup_name: name, alias: `Hosts of ${name}` }),
    ),
    define("hostgroup", { hostgroup_name: "empty", alias: "Nothing yet" }),
    "# Checked the same way everywhere.\n",
    define("service", { name: "generic", ...serviceTemplate }),
    define("service", {
      name: "rarely",
      use: "generic",
      normal_check_interval: 360,
      retry_check_interval: 30,
      register: 0,
    }),
    define("service", { name: "night", use: "generic", contact_groups: "dba", notification_interval: 15, register: 0 }),
    ...commonServices.map(([description, command]) =>
      define("service", {
        ...{ use: description === "NTP" ? "rarely" : "generic", hostgroup_name: "linux" },
        ...{ service_description: description, check_command: command },
      }),
    ),
    ...hostRoles.flatMap((role) =>
      roleServices[role].map(([description, command]) =>
        define("service", {
          ...{ use: role === "db" ? "night" : "generic", hostgroup_name: role, service_description: description },
          ...{ check_command: command, servicegroups: `app-${role}` },
        }),
      ),
    ),
    ...hostRoles.map((role) =>
      define("servicegroup", { servicegroup_name: `app-${role}`, alias: `Application ${role}` }),
    ),
    define("service", {
      ...{ use: "generic", hostgroup_name: "web,!fra", service_description: "CDN", check_command: "check_http!3!9" },
      notification_options: "c,r",
    }),
    ...hosts
      .filter(({ n }) => n % 10 === 3)
      .map(({ name, n }) =>
        define("service", {
          ...{
            use: "generic",
            host_name: name,
            service_description: "Disk",
            check_command: `check_disk!${5 + (n % 3)}%!2%`,
          },
          notes: "bigger disks",
        }),
      ),
    define("service", {
      ...{
        use: "generic",
        host_name: hosts[0]?.name ?? "",
        service_description: "License",
        check_command: "check_license",
      },
    }),
    define("command", { command_name: "check_license", command_line: "$USER9$/check_license $HOSTNAME$" }),
    define("hostescalation", {
      ...{ hostgroup_name: "network", first_notification: 3, last_notification: 0, notification_interval: 30 },
      contacts: "boss",
    }),
    define("serviceescalation", {
      ...{ servicegroup_name: "app-db", first_notification: 4, last_notification: 0, contacts: "boss,eve" },
      notification_interval: 30,
    }),
    define("servicedependency", {
      ...{ hostgroup_name: "db", service_description: "MySQL", dependent_service_description: "Replication" },
      ...{ notification_failure_criteria: "c,u", execution_failure_criteria: "n" },
    }),
  ];
  return {
    name: "a hoster with Nagios",
    main: "nagios.cfg",
    files: {
      "nagios.cfg": `${mainOptions}service_perfdata_command=notify-by-email\n`,
      "resource.cfg": "$USER1$=/usr/lib/nagios/plugins\n",
      "objects/basics.cfg": nagiosBasics,
      "objects/contacts.cfg": nagiosPeople,
      "objects/hosts.cfg": objects.join(""),
    },
  };
}

/** Options of a main file, with paths that Nagios can write to in the folder of the sources. */
const mainOptions = `cfg_dir=objects
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

/** A university: regular expressions in lists, exclusions, and names of directives from three versions. */
export function naemonUniversity(count: number): Company {
  const next = numbers(7);
  const hosts = range(count).map((n) => ({ name: `${hostRoles[n % hostRoles.length]}-${sites[next(4)]}-${n}`, n }));
  const objects = [
    define("host", { name: "base", ...hostTemplate }),
    define("host", { name: "quick", check_interval: 1, register: 0 }),
    "# The backbone.\n",
    define("host", { use: "quick,base", host_name: "core", alias: "Core", address: "10.255.0.1" }),
    ...hosts.map(({ name, n }) =>
      define("host", {
        ...{ use: n % 4 === 0 ? "quick,base" : "base", host_name: name, address: addressOf(n), parents: "core" },
        ...(n % 9 === 0 ? { host_groups: "special" } : {}),
        ...(n % 50 === 1 ? { active_checks_enabled: 0, check_freshness: 1, freshness_threshold: 7200 } : {}),
      }),
    ),
    define("hostgroup", { hostgroup_name: "special", alias: "Special machines" }),
    define("hostgroup", { hostgroup_name: "all", alias: "All machines", members: "!core,.*" }),
    ...hostRoles.map((role) =>
      define("hostgroup", { hostgroup_name: role, alias: `Role ${role}`, members: `^${role}-.*` }),
    ),
    ...sites.map((site) =>
      define("hostgroup", { hostgroup_name: site, alias: `Site ${site}`, members: `.*-${site}-.*` }),
    ),
    define("service", { name: "normal", ...serviceTemplate }),
    define("service", { name: "slow", normal_check_interval: 60, retry_check_interval: 10, register: 0 }),
    ...commonServices.map(([description, command], n) =>
      define("service", {
        ...{ use: n % 2 === 0 ? "normal" : "slow,normal", hostgroup_name: "all", description, check_command: command },
        ...(n === 0 ? { is_volatile: 1, stalking_options: "w,c" } : {}),
      }),
    ),
    ...hostRoles.flatMap((role) =>
      roleServices[role].map(([description, command]) =>
        define("service", {
          ...{
            use: "normal",
            hosts: `^${role}-(fra|ams)-.*`,
            service_description: description,
            check_command: command,
          },
          ...(role === "mail" ? { contact_groups: "+dba" } : {}),
        }),
      ),
    ),
    define("service", {
      ...{
        use: "normal",
        hostgroup_name: "special,!web",
        service_description: "Backup",
        check_command: "check_queue!1!2",
      },
      servicegroups: "backups",
    }),
    define("servicegroup", { servicegroup_name: "backups", alias: "Backups" }),
    define("serviceescalation", {
      ...{ host_name: "db-(fra|ams)-.*", service_description: "MySQL", first_notification: 2, last_notification: 5 },
      ...{ notification_interval: 20, contacts: "boss" },
    }),
    define("hostdependency", {
      ...{ host_name: "core", dependent_hostgroup_name: "special", notification_failure_criteria: "d,u" },
    }),
  ];
  const wide = `${nagiosPeople}${nagiosContact("night", { host_notifications_enabled: "0" })}`;
  return {
    name: "a university with Naemon",
    main: "naemon.cfg",
    files: {
      "naemon.cfg": `${mainOptions}use_regexp_matching=1\n`,
      "resource.cfg": "$USER1$=/usr/lib/nagios/plugins\n",
      "objects/basics.cfg": nagiosBasics,
      "objects/contacts.cfg": wide,
      "objects/hosts.cfg": objects.join(""),
    },
  };
}
