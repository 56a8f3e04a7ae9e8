package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	os.Setenv("LC_ALL", "zh_CN.UTF-8")
	os.Exit(m.Run())
}
