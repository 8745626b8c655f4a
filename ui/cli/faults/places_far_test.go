package faults

import (
	"crypto/ed25519"
	"encoding/pem"
	"net"
	"path/filepath"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider/exedev/exedevtest"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/fleet/provider/sprites/spritestest"
)

// hosts makes two hosts of the captain's, each behind a proxy.
func hosts(v *voyage) ground {
	owner := hoststest.NewCaptain(v, v.home)
	g := ground{place: "hosts", most: 3, args: []string{"--provider", "hosts"}}
	var all []*hoststest.Host
	config := "hosts:\n"
	for _, name := range []string{"quay", "pier"} {
		h := owner.Start(name+"-itself", nil)
		p := newProxy(v, h.Addr)
		owner.Knows(p.addr, h.Key)
		_, port, _ := net.SplitHostPort(p.addr)
		owner.Configure("Host " + name + "\n  HostName 127.0.0.1\n  Port " + port + "\n  IdentityFile " + owner.Key + "\n  UserKnownHostsFile " + v.home + "/.ssh/known_hosts\n")
		config += "  - " + name + "*12\n" // with room also for voyages that went on without their terminals
		all, g.links, g.disks = append(all, h), append(g.links, p), append(g.disks, h.Ships())
	}
	v.write(".config/ocaptain/config.yaml", config)
	g.hosts = all
	g.ships = func(voyage string) map[string]string {
		found := map[string]string{}
		for _, h := range all {
			for name, dir := range v.shipsIn(h.Ships(), voyage) {
				found[name] = dir
			}
		}
		return found
	}
	g.left = func() (left []string) {
		for _, h := range all {
			for _, command := range h.Processes("") {
				left = append(left, h.Name+": "+command)
			}
			for _, dir := range v.shipsIn(h.Ships(), "") {
				left = append(left, dir)
			}
		}
		return left
	}
	return g
}

// sprites makes a fake sprites.dev, behind a proxy.
func sprites(v *voyage) ground {
	f := spritestest.Start(v, spritestest.Options{Exe: v.build(0), Args: []string{"aboard", "sshd"}, Latency: 5 * time.Millisecond, CreatesPerMinute: 30})
	p := newProxy(v, f.URL[len("http://"):])
	v.env = append(v.env, "SPRITES_API_URL=http://"+p.addr, "SPRITES_TOKEN="+f.Token())
	return ground{
		place: "sprites", most: 3, args: []string{"--provider", "sprites"}, links: []*proxy{p}, sprites: f,
		ships: func(voyage string) map[string]string {
			all := map[string]string{}
			for _, name := range f.Names() {
				if ship, ok := v.shipOf(name, voyage); ok {
					all[ship] = filepath.Dir(f.Home(name))
				}
			}
			return all
		},
		left: f.Names,
	}
}

// exedev makes a fake exe.dev, behind a proxy.
func exedev(v *voyage) ground {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		v.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		v.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		v.Fatal(err)
	}
	f := exedevtest.Start(v, exedevtest.Config{Latency: 20 * time.Millisecond, Boot: 300 * time.Millisecond, Keys: []ssh.PublicKey{signer.PublicKey()}})
	p := newProxy(v, f.URL[len("http://"):])
	v.env = append(v.env, "OCAPTAIN_EXEDEV_URL=http://"+p.addr)
	f.Knows(v.home, p.addr, pem.EncodeToMemory(block))
	return ground{
		place: "exedev", most: 3, disks: []string{f.Root()}, args: []string{"--provider", "exedev"}, links: []*proxy{p}, exedev: f,
		ships: func(voyage string) map[string]string { return v.shipsIn(f.Root(), voyage) },
		left:  f.Machines,
	}
}
