"""The app of the installed package, which `tokviz app` starts; its settings are beside it.

Streamlit reads this file twice: as a module, whose `app` is the server, and as the script that
draws a page, for every visitor and click.
"""

import streamlit as st

from tokviz.pages.app import LAYERS, draw, lifespan

if __name__ == "__main__":
    draw()
else:
    app = st.App(__file__, middleware=LAYERS, lifespan=lifespan)
