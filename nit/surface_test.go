package nit_test

import (
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
)

// Only View.Call and View.Do run a tool. Before you add a method to this list, check that it cannot run one.
func TestView_OnlyCallAndDoRunTools(t *testing.T) {
	for _, tt := range []struct {
		of      reflect.Type
		methods []any
	}{
		{reflect.TypeFor[nit.Tool](), []any{nit.Tool.Name, nit.Tool.Status}},
		{reflect.TypeFor[*nit.View](), []any{
			(*nit.View).WithDialect, (*nit.View).WithAudit, (*nit.View).Call, (*nit.View).Confirm, (*nit.View).Do, (*nit.View).WithGuard, (*nit.View).Has,
			(*nit.View).Filter, (*nit.View).Tiers, (*nit.View).Revoke, (*nit.View).HasFunc, (*nit.View).Tools, (*nit.View).WithPolicy,
			(*nit.View).WithRedact, (*nit.View).WithCallLimit,
		}},
		{reflect.TypeFor[*nit.Registry](), []any{
			(*nit.Registry).Add, (*nit.Registry).Disable, (*nit.Registry).DisableIn, (*nit.Registry).Enable, (*nit.Registry).EnableIn,
			(*nit.Registry).Remove, (*nit.Registry).Replace, (*nit.Registry).Status, (*nit.Registry).Unseen, (*nit.Registry).View, (*nit.Registry).Wait,
		}},
		{reflect.TypeFor[*nit.Plugins](), []any{
			(*nit.Plugins).Broadcast, (*nit.Plugins).List, (*nit.Plugins).Load, (*nit.Plugins).Request, (*nit.Plugins).Reload, (*nit.Plugins).Run, (*nit.Plugins).Send, (*nit.Plugins).SetSetting,
			(*nit.Plugins).Settings, (*nit.Plugins).SwitchCategory, (*nit.Plugins).SwitchPlugin, (*nit.Plugins).Switches, (*nit.Plugins).Unload,
		}},
		{reflect.TypeFor[*nit.Host](), []any{(*nit.Host).Broadcast, (*nit.Host).Request, (*nit.Host).Send, (*nit.Host).SetSetting, (*nit.Host).Setting}},
		{reflect.TypeFor[nit.ToolInfo](), []any{nit.ToolInfo.ArgumentsFoundIn, nit.ToolInfo.RequestedIn}},
		{reflect.TypeFor[nit.Record](), nil},
	} {
		var want, got []string
		for _, m := range tt.methods {
			name := runtime.FuncForPC(reflect.ValueOf(m).Pointer()).Name()
			want = append(want, name[strings.LastIndexByte(name, '.')+1:])
		}
		for i := range tt.of.NumMethod() {
			got = append(got, tt.of.Method(i).Name)
		}
		assert.ElementsMatch(t, want, got, "%v", tt.of)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[nit.Tool](), reflect.TypeFor[nit.View](), reflect.TypeFor[nit.Host](), reflect.TypeFor[nit.Plugins]()} {
		for i := range of.NumField() {
			assert.False(t, of.Field(i).IsExported(), "%v.%s", of, of.Field(i).Name)
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[nit.ToolInfo](), reflect.TypeFor[nit.Record](), reflect.TypeFor[nit.Request]()} {
		for i := range of.NumField() {
			assert.NotEqual(t, reflect.Func, of.Field(i).Type.Kind(), "%v.%s", of, of.Field(i).Name)
		}
	}
}
