package faults

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// disks lists faults that fill the disks of the hub and of ships, or make them read-only. A machine at exe.dev has
// open files that only its end closes.
var disks = []fault{
	{name: "disk of the hub is full", hides: unheard, disk: true, places: hubs, strike: func(v *voyage) hit { return v.fill(v.hubDisk()) }},
	{name: "disk of the ships is full", disk: true, places: yards, strike: func(v *voyage) hit { return v.fill(v.shipsDisk()) }},
	{name: "inodes of the hub are gone", hides: unheard, disk: true, places: hubs, strike: func(v *voyage) hit { return v.crowd(v.hubDisk()) }},
	{name: "inodes of the ships are gone", disk: true, places: yards, strike: func(v *voyage) hit { return v.crowd(v.shipsDisk()) }},
	{name: "disk of the hub is read-only", hides: unheard, disk: true, places: hubs, strike: func(v *voyage) hit { return v.forbid(v.hubDisk(), v.hub) }},
	{name: "disk of the ships is read-only", disk: true, places: []string{"local", "hosts"}, strike: func(v *voyage) hit {
		disk := v.shipsDisk()
		return v.forbid(disk, func() []process { return processes(disk) })
	}},
}

// Where the hub and the ships have small disks.
var (
	hubs  = []string{"local", "hosts", "sprites", "exedev"}
	yards = []string{"local", "hosts", "exedev"}
)

func (v *voyage) hubDisk() string   { return filepath.Join(v.home, "voyages") }
func (v *voyage) shipsDisk() string { return v.ground.disks[v.rng.IntN(len(v.ground.disks))] }

// forbid makes a disk read-only. Processes that write there would prevent that, so it kills them.
func (v *voyage) forbid(disk string, writers func() []process) hit {
	var err error
	for range 100 {
		v.signal("who may write", syscall.SIGKILL, writers())
		if err = remount(disk, "ro"); err == nil {
			break
		}
	}
	v.note("%s is read-only: %v", disk, err)
	v.look()
	return did(err == nil).until(func() {
		v.note("writable: %v", remount(disk, "rw"))
		v.look()
	})
}

// mountDisks gives the hub and its ships small disks of their own.
func (v *voyage) mountDisks() {
	v.Helper()
	sizes := map[string]string{v.hubDisk(): "size=64m,nr_inodes=8k"}
	for _, dir := range v.ground.disks {
		sizes[dir] = "size=800m,nr_inodes=30k"
	}
	for dir, size := range sizes {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			v.Fatal(err)
		}
		if out, err := exec.Command("mount", "-t", "tmpfs", "-o", size+",mode=755", "none", dir).CombinedOutput(); err != nil {
			v.Fatalf("mount: %v: %s", err, out)
		}
		v.disks = append(v.disks, dir)
	}
}

func (v *voyage) unmountDisks() {
	for _, dir := range v.disks {
		_ = exec.Command("umount", "-l", dir).Run()
	}
}

func remount(dir, how string) error {
	out, err := exec.Command("mount", "-o", "remount,"+how, dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// fill leaves no space on a disk.
func (v *voyage) fill(dir string) hit {
	name := filepath.Join(dir, ".filler")
	f, err := os.Create(name)
	if err != nil {
		v.note("%v", err)
		return did(false)
	}
	defer f.Close()
	n := int64(0)
	if zero, err := os.Open("/dev/zero"); err == nil {
		n, _ = io.Copy(f, zero)
		zero.Close()
	}
	v.note("%d bytes fill %s", n, dir)
	return did(n > 0).until(func() { v.note("there is room: %v", os.Remove(name)) })
}

// crowd leaves no inode on a disk.
func (v *voyage) crowd(dir string) hit {
	room := filepath.Join(dir, ".crowd")
	err := os.Mkdir(room, 0o755)
	n := 0
	for ; err == nil; n++ {
		err = os.WriteFile(filepath.Join(room, fmt.Sprint(n)), nil, 0o644)
	}
	full := errors.Is(err, syscall.ENOSPC)
	if !full {
		v.note("%v", err)
	}
	v.note("%d files crowd %s", n, dir)
	return did(full).until(func() { v.note("there are inodes: %v", os.RemoveAll(room)) })
}
