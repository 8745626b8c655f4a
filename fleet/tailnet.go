package fleet

// Tailnet is where a ship is in the captain's tailnet: a door of its own, beside the provider's.
type Tailnet struct {
	Node    string `json:"node"` // id, as Tailscale's API knows it
	IP      string `json:"ip"`
	Port    int    `json:"port"`              // of the ship's SSH server
	HostKey string `json:"hostKey,omitempty"` // that it shows there, in authorized_keys format
}

// HostKeys are the host keys that the ship may show, a line each, "" before any is known.
func (s *Ship) HostKeys() string {
	if s.HostKey == "" || s.Tailnet == nil {
		return s.HostKey
	}
	return s.HostKey + "\n" + s.Tailnet.HostKey
}

// The ways to a ship.
const (
	ViaTailnet  = "tailnet"
	ViaProvider = "provider"
)
