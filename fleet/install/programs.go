package install

import (
	"runtime"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/supervise"
	build "ocaptain/fleet/program"
	"ocaptain/fleet/provider/describe"
)

// Programs returns where ships of each kind get the ocaptain program.
func Programs(hub fleet.Hub, own supervise.Binary) describe.Program {
	s := &build.Source{Own: own.Path, Digest: own.Digest, Version: supervise.Version, Cache: hub.Cache}
	return s.ProgramFor
}

// ProgramSource says where the ocaptain program for an operating system and architecture would come from. The error
// says why there is none. It does not build anything.
func ProgramSource(hub fleet.Hub, goos, arch string) (from string, err error) {
	s := &build.Source{Version: supervise.Version, Cache: hub.Cache}
	if goos != runtime.GOOS || arch != runtime.GOARCH {
		own, err := supervise.OwnBinary(hub)
		if err != nil {
			return "", err
		}
		s.Digest = own.Digest
	}
	return s.SourceFor(goos, arch)
}
