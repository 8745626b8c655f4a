package install

import (
	"os"
	gosync "sync"

	"ocaptain/fleet"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tokens"
)

// Tailnet returns this machine's access to the captain's tailnet.
//
// OCAPTAIN_TAILSCALE_SOCKET is the path of the socket of another tailscaled; "-" means none.
func Tailnet() *tailnet.Net {
	socket := os.Getenv("OCAPTAIN_TAILSCALE_SOCKET")
	if socket == "" {
		socket = tailnet.DefaultSocket()
	}
	return &tailnet.Net{Socket: socket}
}

// TailnetFile returns the path of the file with the credentials for making keys for ships on the tailnet.
func TailnetFile(h fleet.Hub) string { return tokens.StoreOf(h).File("tailscale") }

// KeepTailnet stores the credentials where helm finds them, even after a restart. They are valid until others are
// stored.
func KeepTailnet(h fleet.Hub, own tailnet.Credentials) error {
	return tokens.StoreOf(h).KeepToken("tailscale", tokens.Token{Secret: own.Secret, URL: own.URL, Tag: own.Tag})
}

// KeptTailnet returns the stored credentials, or tailnet.ErrNoSecret if there are none.
func KeptTailnet(h fleet.Hub) (tailnet.Credentials, error) {
	kept, err := tokens.StoreOf(h).ReadToken("tailscale")
	if err != nil {
		return tailnet.Credentials{}, err
	}
	own := tailnet.Credentials{Secret: kept.Secret, URL: kept.URL, Tag: kept.Tag}
	return own, own.Check()
}

// Tailscale gives access to Tailscale's API with the stored credentials.
type Tailscale struct {
	Hub fleet.Hub

	mu  gosync.Mutex
	own tailnet.Credentials
	api *tailnet.API // the client for own, nil until it is needed
}

// Ask returns a client with the credentials that are stored now, so that a change applies at once. The error is
// tailnet.ErrNoSecret if ships do not join a tailnet.
func (t *Tailscale) Ask() (*tailnet.API, error) {
	own, err := KeptTailnet(t.Hub)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.api != nil && t.own == own {
		return t.api, nil
	}
	api, err := tailnet.Open(own)
	if err != nil {
		return nil, err
	}
	if t.api != nil {
		t.api.Close()
	}
	t.own, t.api = own, api
	return api, nil
}
