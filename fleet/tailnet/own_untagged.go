//go:build tsnet && !ts_omit_peerapiserver

package tailnet

// A node within this process must not listen at this machine's addresses, as it does for Tailscale's peer API
// unless that is left out. It can be left out by this tag alone, so nothing is built without it.
var _ = the_tag_tsnet_takes_the_tag_ts_omit_peerapiserver_too
