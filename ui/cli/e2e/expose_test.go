package e2e

import (
	"net/url"
	"strings"
)

// exposeModels lets ships on this machine reach the models on its loopback that the captain's environment names.
func (c *captain) exposeModels() {
	c.Helper()
	var ports []string
	for _, entry := range c.env {
		name, value, _ := strings.Cut(entry, "=")
		if at, err := url.Parse(value); err == nil && strings.HasSuffix(name, "_BASE_URL") && at.Hostname() == "127.0.0.1" && at.Port() != "" {
			ports = append(ports, at.Port())
		}
	}
	if len(ports) > 0 {
		c.write(".config/ocaptain/config.yaml", "local:\n  expose: ["+strings.Join(ports, ", ")+"]\n")
	}
}
