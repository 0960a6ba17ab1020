/** Names of one directive: the first is the one that is used here, the others are read as the same. */
type Aliases = readonly [name: string, ...others: string[]];

const hosts: readonly Aliases[] = [
  ["host_name", "host", "hosts"],
  ["hostgroup_name", "hostgroup", "hostgroups"],
];
const services: readonly Aliases[] = [
  ["service_description", "description"],
  ["servicegroup_name", "servicegroup", "servicegroups"],
];
const schedule: readonly Aliases[] = [
  ["check_interval", "normal_check_interval"],
  ["retry_interval", "retry_check_interval"],
  ["importance", "hourly_value"],
];
const dependencies: readonly Aliases[] = [
  ["host_name", "host", "master_host", "master_host_name"],
  ["hostgroup_name", "hostgroup", "hostgroups"],
  ["service_description", "description", "master_description", "master_service_description"],
  ["servicegroup_name", "servicegroup", "servicegroups"],
  ["dependent_host_name", "dependent_host"],
  ["dependent_hostgroup_name", "dependent_hostgroup", "dependent_hostgroups"],
  ["dependent_service_description", "dependent_description"],
  ["dependent_servicegroup_name", "dependent_servicegroup", "dependent_servicegroups"],
  ["notification_failure_criteria", "notification_failure_options"],
  ["execution_failure_criteria", "execution_failure_options"],
];

const aliasesByType: Readonly<Record<string, readonly Aliases[]>> = {
  host: [
    ...schedule,
    ["hostgroups", "host_groups"],
    ["active_checks_enabled", "checks_enabled"],
    ["statusmap_image", "gd2_image"],
    ["obsess", "obsess_over_host"],
  ],
  service: [
    ...schedule,
    ...hosts,
    ["service_description", "description"],
    ["servicegroups", "service_groups"],
    ["obsess", "obsess_over_service"],
  ],
  contact: [
    ["contactgroups", "contact_groups"],
    ["minimum_importance", "minimum_value"],
  ],
  hostescalation: hosts,
  serviceescalation: [...hosts, ...services],
  hostdependency: dependencies,
  servicedependency: dependencies,
};

const nameByAlias: ReadonlyMap<string, string> = new Map(
  Object.entries(aliasesByType).flatMap(([type, all]) =>
    all.flatMap(([name, ...others]) => others.map((alias) => [`${type} ${alias}`, name] as const)),
  ),
);

/** Name of a directive under which all its aliases are kept, so that objects and templates override each other's. */
export const directiveName = (type: string, name: string): string => nameByAlias.get(`${type} ${name}`) ?? name;
