"""The app without a browser: Streamlit's AppTest, and what a test does with it."""

import json

from helpers import ROOT, components

APP = str(ROOT / "app.py")


class File:
    """What the uploader gives."""

    def __init__(self, name, data):
        self.name, self.data = name, data

    def getvalue(self):
        return self.data


def html(app):
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


def press(app, label):
    next(button for button in app.button if button.label == label).click()
    return app.run()


def take_algorithm(app, name):
    """Picks an algorithm, also one of those behind "More"."""
    others = [button for button in app.button if button.key == f"more_{name}"]
    if others:
        return others[0].click().run()
    return app.segmented_control(key="algorithm").set_value(name).run()


def read(data, magic):
    """A packed head and what follows it."""
    assert data[:4] == magic
    end = 8 + int.from_bytes(data[4:8], "little")
    return json.loads(data[8:end]), data[end:]


def player_data(app):
    """What the page sent to the player: its head, and the header of every lane's run."""
    head, blobs = read(components(app, "player")[0], b"TVZB")
    return head, [read(blobs[at : at + size], b"TVZ1")[0] for at, size in head["lanes"]]


def settle(app, position, states, align="step", number=1, by="settled"):
    """What the player tells when it rests, by itself or from where the lenses are."""
    known = {"id": player_data(app)[0]["id"], "number": number}
    moment = {**known, "align": align, "position": position, "states": states}
    app.session_state[by] = {"moment": moment}
    app.run()
