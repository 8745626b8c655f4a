package join

// Machine has systemd run below another directory than the real one, as on a machine whose only account has that home.
func Machine(below, home string) (back func()) {
	was, wasHome := root, accountHome
	root, accountHome = below, func() string { return home }
	return func() { root, accountHome = was, wasHome }
}

// KernelUnit is the unit of a tailscaled with a tunnel.
func KernelUnit(home, exe string) (string, error) {
	s := systemd{b: &berth{home: home}}
	return s.text(program{
		name: "tailscaled", argv: []string{exe, "--tun=" + tunnel, "--statedir=" + home + "/a $HOME % \"b\" \\c"},
		root: true, ready: true, after: []string{exe, "--cleanup", "--tun=" + tunnel},
	})
}
