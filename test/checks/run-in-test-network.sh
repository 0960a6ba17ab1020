# Runs a command in a network namespace with veth0 and a router behind it that rejects some destinations.
set -e
ip link set lo up
unshare -n sleep 60 &
router=$!
trap 'kill $router' EXIT
while [ "$(readlink /proc/$router/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
ip link add veth0 type veth peer name veth1 netns $router
ip addr add 10.0.0.1/24 dev veth0
ip -6 addr add fd00::1/64 dev veth0 nodad
ip link set veth0 up
nsenter -t $router -n sh -ec '
  ip addr add 10.0.0.2/24 dev veth1
  ip -6 addr add fd00::2/64 dev veth1 nodad
  ip link set veth1 up
  echo 1 > /proc/sys/net/ipv4/ip_forward
  echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
  echo 0 > /proc/sys/net/ipv4/icmp_ratelimit
  echo 0 > /proc/sys/net/ipv6/icmp/ratelimit
  ip route add unreachable 10.9.1.0/24
  ip route add prohibit 10.9.2.0/24
  ip route add blackhole 10.9.3.0/24
  ip -6 route add prohibit fd09::/64'
ip route add default via 10.0.0.2
ip -6 route add default via fd00::2
echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range
"$@"
