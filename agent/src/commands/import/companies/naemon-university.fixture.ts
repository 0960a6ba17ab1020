import { addressOf, type Company, hostRoles, numbers, range, sites } from "./company.fixture.ts";
import {
  commonServices,
  define,
  hostTemplate,
  mainOptions,
  nagiosBasics,
  nagiosContact,
  nagiosPeople,
  roleServices,
  serviceTemplate,
} from "./nagios-basics.fixture.ts";

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
    define("hostgroup", { hostgroup_name: "all", alias: "All machines", members: "-(fra|ams|nyc|sin)-" }),
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
            hosts: `^${role}-(fra|ams)-`,
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
        hostgroup_name: "special",
        service_description: "Backup",
        check_command: "check_queue!1!2",
      },
      servicegroups: "backups",
    }),
    define("servicegroup", { servicegroup_name: "backups", alias: "Backups" }),
    define("serviceescalation", {
      ...{ hostgroup_name: "db", service_description: "SSH", first_notification: 2, last_notification: 5 },
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
      "naemon.cfg": `${mainOptions}use_regexp_matching=1\nuse_true_regexp_matching=1\n`,
      "resource.cfg": "$USER1$=/usr/lib/nagios/plugins\n",
      "objects/basics.cfg": nagiosBasics,
      "objects/contacts.cfg": wide,
      "objects/hosts.cfg": objects.join(""),
    },
  };
}
