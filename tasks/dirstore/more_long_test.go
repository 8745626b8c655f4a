//go:build long

package dirstore_test

const (
	raceTasks = 2000
	killTasks = 120
)
