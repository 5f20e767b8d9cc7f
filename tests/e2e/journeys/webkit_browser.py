#!/usr/bin/python3
"""The least browser around WebKitGTK that its driver can automate: one window, no toolbar.

WebKitGTK's own MiniBrowser would do, but it runs no script before those of a page, which the tests
need to hear what a page complains of; its toolbar makes no window as narrow as a phone; and it is
dark only if the whole desktop is. Started by WebKitWebDriver with Debian's Python (packages
python3-gi and gir1.2-webkit2-4.1).
"""

import ctypes
import os
import signal
import sys
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402

SIZE = (1366, 768)
#: Of Linux: the signal that a process gets when the one that started it ends.
PR_SET_PDEATHSIG = 1


def setting(name):
    """What the test asks for, in the environment."""
    return os.environ.get(f"TOKVIZ_{name}", "")


def view(_session):
    """A page that the driver controls."""
    scripts = WebKit2.UserContentManager()
    scripts.add_script(
        WebKit2.UserScript.new(
            Path(setting("PRELOAD")).read_text("utf-8"),
            WebKit2.UserContentInjectedFrames.ALL_FRAMES,
            WebKit2.UserScriptInjectionTime.START,
            None,
            None,
        )
    )
    page = WebKit2.WebView(
        web_context=context, is_controlled_by_automation=True, user_content_manager=scripts
    )
    settings = page.get_settings()
    settings.set_enable_developer_extras(False)
    # A screen that nobody sees has no graphics card, which a program would have to stand in for.
    # Without it no picture can be taken of the app.
    if "TOKVIZ_PICTURES" not in os.environ:
        settings.set_hardware_acceleration_policy(WebKit2.HardwareAccelerationPolicy.NEVER)
    window = Gtk.Window()
    window.set_default_size(*SIZE)
    window.connect("destroy", Gtk.main_quit)
    window.add(page)
    window.show_all()
    return page


def started(_context, session):
    """A driver is there."""
    about = WebKit2.ApplicationInfo()
    about.set_name("MiniBrowser")
    session.set_application_info(about)
    session.connect("create-web-view", view)


if __name__ == "__main__":
    if "--automation" not in sys.argv:
        sys.exit("WebKitWebDriver starts this, with --automation.")
    # A driver that ends does not always end its browser, which would play on for hours.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    look = Gtk.Settings.get_default()
    # As "reduce motion" of a desktop.
    look.set_property("gtk-enable-animations", False)
    look.set_property("gtk-application-prefer-dark-theme", setting("DARK") == "1")
    context = WebKit2.WebContext.new_ephemeral()
    if setting("NETWORK") == "0":
        nobody = WebKit2.NetworkProxySettings.new("http://127.0.0.1:9", None)
        data = context.get_website_data_manager()
        data.set_network_proxy_settings(WebKit2.NetworkProxyMode.CUSTOM, nobody)
    context.set_automation_allowed(True)
    context.connect("automation-started", started)
    Gtk.main()
