package fleet

// Tailnet is the address of a ship in the captain's tailnet. It is another way to the ship beside the provider's.
type Tailnet struct {
	Node    string `json:"node"` // its node id in Tailscale's API
	IP      string `json:"ip"`
	Port    int    `json:"port"`              // the port of the ship's SSH server
	HostKey string `json:"hostKey,omitempty"` // the host key that the server shows there, in authorized_keys format
}

// HostKeys returns the host keys that the ship may show, one per line, "" before any is known.
func (s *Ship) HostKeys() string {
	if s.HostKey == "" || s.Tailnet == nil {
		return s.HostKey
	}
	return s.HostKey + "\n" + s.Tailnet.HostKey
}

// The ways to reach a ship.
const (
	ViaTailnet  = "tailnet"
	ViaProvider = "provider"
)
