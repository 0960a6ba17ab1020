import { addressOf, type Company, hostRoles, numbers, range, refusedFile, sites } from "./company.fixture.ts";
import {
  commonServices,
  define,
  hostTemplate,
  mainOptions,
  nagiosBasics,
  nagiosPeople,
  roleServices,
  serviceTemplate,
} from "./nagios-basics.fixture.ts";

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
    define("hostgroup", { hostgroup_name: "machines", alias: "All but one", members: "!gw-fra,.*" }),
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
          ...{ notes: "bigger disks", service_groups: "big-disks" },
        }),
      ),
    define("service", {
      ...{
        use: "generic",
        host_name: hosts[0]?.name ?? "",
        service_description: "License",
        check_command: "check_license",
      },
      ...{ servicegroups: "licenses", parents: `${hosts[0]?.name ?? ""},SSH`, first_notification_delay: 5 },
      ...{ check_freshness: 1, freshness_threshold: 900 },
    }),
    define("service", {
      ...{ use: "generic", hosts: "gw-(fra|sin)+", description: "Uplink", check_command: "check_ntp!1!2" },
    }),
    define("service", {
      use: "generic",
      hostgroups: "cache",
      description: "Evicted",
      check_command: "check_queue!1!2",
    }),
    ...["big-disks", "licenses"].map((name) => define("servicegroup", { servicegroup_name: name, alias: name })),
    define("servicedependency", {
      ...{ servicegroup_name: "licenses", dependent_servicegroup_name: "big-disks" },
      notification_failure_criteria: "c",
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
      "nagios.cfg": `${mainOptions}cfg_file=${refusedFile}
service_perfdata_command=notify-by-email
ocsp_command=notify-by-email
obsess_over_services=1
broker_module=/opt/livestatus.o /run/live
use_regexp_matching=1
`,
      // Somebody was interrupted: Nagios itself would not start with it.
      [refusedFile]: `${define("host", { use: "lnux", host_name: "new1" })}define host {\n    use linux\n    host_name new2\n`,
      "resource.cfg": "$USER1$=/usr/lib/nagios/plugins\n",
      "objects/basics.cfg": nagiosBasics,
      "objects/contacts.cfg": nagiosPeople,
      "objects/hosts.cfg": objects.join(""),
    },
  };
}
