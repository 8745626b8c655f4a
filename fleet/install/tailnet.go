package install

import (
	"os"
	gosync "sync"

	"ocaptain/fleet"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tokens"
)

// Tailnet is this machine's way into the captain's tailnet.
//
// OCAPTAIN_TAILSCALE_SOCKET names the socket of the tailscaled to use; "-" is for none.
func Tailnet() *tailnet.Net {
	socket := os.Getenv("OCAPTAIN_TAILSCALE_SOCKET")
	if socket == "" {
		socket = tailnet.DefaultSocket()
	}
	return &tailnet.Net{Socket: socket}
}

// TailnetFile is where the hub keeps what makes keys for ships on the tailnet.
func TailnetFile(h fleet.Hub) string { return tokens.StoreOf(h).File("tailscale") }

// KeepTailnet stores the credentials where helm finds them, also after a restart. They stay until
// others are stored.
func KeepTailnet(h fleet.Hub, own tailnet.Credentials) error {
	return tokens.StoreOf(h).KeepToken("tailscale", tokens.Token{Secret: own.Secret, URL: own.URL, Tag: own.Tag})
}

// KeptTailnet returns what was kept last; tailnet.ErrNoSecret when nothing was.
func KeptTailnet(h fleet.Hub) (tailnet.Credentials, error) {
	kept, err := tokens.StoreOf(h).ReadToken("tailscale")
	if err != nil {
		return tailnet.Credentials{}, err
	}
	own := tailnet.Credentials{Secret: kept.Secret, URL: kept.URL, Tag: kept.Tag}
	return own, own.Check()
}

// Tailscale is the way to Tailscale, by the secret that is kept.
type Tailscale struct {
	Hub fleet.Hub

	mu  gosync.Mutex
	own tailnet.Credentials
	api *tailnet.API // for own, nil before it is needed
}

// Ask returns the way to Tailscale, by what is kept now: a secret that was changed holds at
// once. tailnet.ErrNoSecret when ships are to be reached as their provider does.
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
