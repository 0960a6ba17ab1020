import { addressOf, type Company, hostRoles, numbers, range, sites } from "./company.fixture.ts";

const icingaObject = (head: string, lines: readonly string[]): string =>
  `${head} {\n${lines.map((line) => `  ${line}\n`).join("")}}\n\n`;

/** Command of the shop itself, in a file of its own. */
const shopCommand = icingaObject('object CheckCommand "shop"', [
  'command = [ PluginContribDir + "/check_shop", "-f", SysconfDir + "/shop.conf" ]',
  'arguments = { "-H" = "$address$" }',
]);

/** Part of the template library that the shop uses, for a machine without Icinga 2. */
const contributed = icingaObject('object CheckCommand "varnish"', [
  'command = [ PluginContribDir + "/check_varnish" ]',
  'arguments = { "-n" = "$varnish_name$", "-p" = "$varnish_param$", "-c" = "$varnish_critical$", "-w" = "$varnish_warning$" }',
]);

/** A shop with Icinga 2: templates, rules with variables of hosts, loops, users by group, dependencies. */
export function icingaShop(count: number): Company {
  const next = numbers(99);
  const hosts = range(count).map((n) => {
    const [site, role] = [sites[next(4)] ?? "fra", hostRoles[n % hostRoles.length] ?? "web"];
    return icingaObject(`object Host "${role}${n}"`, [
      'import "generic-host"',
      `address = "${addressOf(n)}"`,
      `vars.site = "${site}"`,
      `vars.role = "${role}"`,
      ...(role === "web"
        ? [`vars.vhosts["shop"] = { http_uri = "/shop", http_vhost = "shop${n % 3}.example.org" }`]
        : []),
      ...(role === "db" ? ['vars.disks["/var"] = { disk_partitions = "/var" }'] : []),
      ...(n % 20 === 0 ? ["vars.pager = true"] : []),
    ]);
  });
  const rule = (name: string, command: string, lines: readonly string[]): string =>
    icingaObject(`apply Service "${name}"`, ['import "generic-service"', `check_command = "${command}"`, ...lines]);
  const text = [
    "// What all machines have.\n",
    icingaObject('template Host "generic-host"', [
      ...['check_command = "hostalive"', "max_check_attempts = 4", "check_interval = 5m", "retry_interval = 1m"],
    ]),
    icingaObject('template Service "generic-service"', [
      ...["max_check_attempts = 3", "check_interval = 5m", "retry_interval = 1m"],
    ]),
    icingaObject('template Notification "by-mail"', [
      ...['command = "mail-notification"', "interval = 30m", 'period = "24x7"'],
      "types = [ Problem, Recovery, Acknowledgement, Custom ]",
    ]),
    icingaObject('object TimePeriod "24x7"', [
      `ranges = { ${["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
        .map((day) => `"${day}" = "00:00-24:00"`)
        .join(", ")} }`,
    ]),
    icingaObject('object NotificationCommand "mail-notification"', ['command = [ "/usr/local/bin/mail-it" ]']),
    icingaObject('object NotificationCommand "page"', [
      'command = [ "/opt/pager/send" ]',
      'arguments = { "--to" = "$user.pager$" }',
    ]),
    icingaObject('object User "ann"', ['email = "ann@example.org"', 'groups = [ "ops" ]']),
    icingaObject('object User "bob"', [
      ...['email = "bob@example.org"', 'groups = [ "ops" ]', "states = [ OK, Critical, Up, Down ]"],
    ]),
    icingaObject('object User "oncall"', ['pager = "555"']),
    icingaObject('object UserGroup "ops"', ['display_name = "Operators"']),
    ...sites.map((site) => icingaObject(`object HostGroup "${site}"`, [`assign where host.vars.site == "${site}"`])),
    ...hostRoles.map((role) =>
      icingaObject(`object HostGroup "${role}"`, [`assign where host.vars.role == "${role}"`]),
    ),
    "/*\n * Gateways.\n */\n",
    ...sites.map((site, n) =>
      icingaObject(`object Host "gw-${site}"`, ['import "generic-host"', `address = "10.0.${n}.1"`]),
    ),
    ...hosts,
    rule("ping4", "ping4", ["assign where host.address"]),
    rule("ssh", "ssh", ["assign where host.vars.role"]),
    rule("load", "load", ["vars.load_wload1 = 8", "vars.load_cload1 = 12", "assign where host.vars.role"]),
    rule("swap", "swap", ["check_interval = 15m", "assign where host.vars.role"]),
    rule("procs", "procs", ['assign where host.vars.role in [ "app", "cache" ]']),
    rule("users", "users", ["assign where host.vars.role", 'ignore where host.vars.site == "sin"']),
    rule("smtp", "smtp", ['assign where match("mail*", host.name)']),
    rule("mysql", "tcp", ["vars.tcp_port = 3306", 'assign where host.vars.role == "db"']),
    rule("certificate", "http", ["vars.http_certificate = 30", 'assign where host.vars.role == "web"']),
    rule("disk", "disk", ["assign where host.vars.role"]),
    rule("uplink", "ping4", [
      'vars.ping_address = get_object(Host, "gw-" + host.vars.site).address',
      'assign where host.vars.role == "app"',
    ]),
    rule("hit rate", "varnish", [
      'vars.varnish_param = "ratio"',
      'vars.varnish_warning = "80:"',
      'assign where host.vars.role == "cache"',
    ]),
    rule("catalogue", "shop", ["assign where host.vars.vhosts"]),
    icingaObject("apply Service for (vhost => config in host.vars.vhosts)", [
      ...['import "generic-service"', 'check_command = "http"', "vars += config"],
    ]),
    icingaObject('apply Service "disk " for (disk => config in host.vars.disks)', [
      ...['import "generic-service"', 'check_command = "disk"', "vars += config"],
    ]),
    icingaObject('apply Notification "mail" to Host', [
      ...['import "by-mail"', "states = [ Up, Down ]", 'user_groups = [ "ops" ]', "assign where host.address"],
    ]),
    icingaObject('apply Notification "mail" to Service', [
      ...['import "by-mail"', "states = [ OK, Warning, Critical, Unknown ]", 'user_groups = [ "ops" ]'],
      "assign where host.address",
    ]),
    icingaObject('apply Notification "page" to Service', [
      ...['command = "page"', 'users = [ "oncall" ]', "states = [ OK, Critical ]", "interval = 30m", 'period = "24x7"'],
      ...[
        "types = [ Problem, Recovery, Acknowledgement, Custom ]",
        "times = { begin = 1h }",
        "assign where host.vars.pager",
      ],
    ]),
    ...sites.map((site) =>
      icingaObject(`apply Dependency "uplink-${site}" to Host`, [
        ...[`parent_host_name = "gw-${site}"`, `assign where host.vars.site == "${site}"`],
      ]),
    ),
    icingaObject('apply Dependency "after-ssh" to Service', [
      ...['parent_service_name = "ssh"', 'assign where service.name == "load"'],
    ]),
  ];
  return {
    name: "a shop with Icinga 2",
    main: "icinga2.conf",
    files: {
      "icinga2.conf":
        'const PluginDir = "/usr/lib/nagios/plugins"\nconst PluginContribDir = PluginDir\ninclude <itl>\ninclude <plugins>\ninclude <plugins-contrib>\n' +
        'if (true) { include "shop/*.conf" }\ninclude_recursive "conf.d"\n',
      "shop/shop.conf": shopCommand,
      "conf.d/all.conf": text.join(""),
    },
    library: { "plugins-contrib": contributed },
  };
}
